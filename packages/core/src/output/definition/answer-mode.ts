/** Mode of an answer: how it is asked for and obtained. One union for every package. Pure. */

/**
 * How an answer is asked for and obtained. `tag`: between tags in the text. `native`: the schema mode of
 * an agent or a service. `tool`: the argument of a tool that the model must call. `tool_auto`: of a tool
 * that it can call. `mcp`: of a tool that an agent's CLI loads by MCP. `json`: the text of the reply.
 */
export type AnswerMode = 'tag' | 'native' | 'tool' | 'tool_auto' | 'mcp' | 'json';
