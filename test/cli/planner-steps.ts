/**
 * Steps of the scripted agent in the planner's test, chosen by its prompt. Loaded by the template
 * under test.
 */
import { step, type AgentStep } from '../../packages/testing/src/scripted-agent/agent-step.ts';

/** Plans missing tasks, works, fails once at `broken`, and merges. */
export function plannerSteps({ prompt }: { readonly prompt: string }): readonly AgentStep[] {
  if (prompt.includes('<plan>')) return plan();
  if (prompt.includes('task `old`')) return [report()];
  const name = /Do the task `([a-z]+)`/u.exec(prompt)?.[1];
  if (name === 'broken' && !prompt.includes('earlier round')) {
    return [step.shell(commit('half')), step.exit(3)];
  }
  if (name !== undefined) return [step.shell(commit(name)), report()];
  const branches = prompt.match(/^truecast\/task-\S+$/gmu) ?? [];
  return branches.map((branch) => step.shell(`git merge -q --no-edit ${branch}`));
}

function plan(): readonly AgentStep[] {
  return [
    // A planner that violates "change nothing".
    step.shell('git commit -q --allow-empty -m planned'),
    step.print('<plan>{"tasks":['),
    step.shell(
      `comma=; for name in one two broken; do if [ ! -e $name.txt ]; then printf '%s{"id":"%s","instructions":"Add it."}' "$comma" $name; comma=,; fi; done`,
      {
        isPrinted: true,
      },
    ),
    step.print(']}</plan>'),
  ];
}

function commit(name: string): string {
  return `echo ${name} > ${name}.txt && git add -A && git commit -q -m 'add ${name}'`;
}

function report(): AgentStep {
  return step.print('<report>{"isFinished":true,"summary":"s"}</report>');
}
