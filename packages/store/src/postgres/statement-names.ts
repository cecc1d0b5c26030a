/** Names of prepared statements on one connection: Postgres parses and plans each text once. */

/**
 * Maximum number of prepared statements per connection. Larger than the number of the program's
 * fixed queries.
 */
const MAX_NAMES = 256;

/** Assigns names by text. */
export class StatementNames {
  readonly #names = new Map<string, string>();
  #generation = 0;

  /**
   * Returns the name of a statement. Undefined if too many texts exist, because a list has one text
   * for each length.
   */
  nameOf(sql: string): string | undefined {
    const known = this.#names.get(sql);
    if (known !== undefined || this.#names.size >= MAX_NAMES) return known;
    const name = `t${this.#generation}-${this.#names.size}`;
    this.#names.set(sql, name);
    return name;
  }

  /**
   * Prepares every text again, because a migration of another process changed the columns of a
   * result.
   */
  renew(): void {
    this.#generation += 1;
    this.#names.clear();
  }
}
