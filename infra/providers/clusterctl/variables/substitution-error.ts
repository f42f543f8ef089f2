/** The text cannot be substituted. `at` is a place in the text; `message` never quotes a value. */
export class SubstitutionError extends Error {
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.name = "SubstitutionError";
    this.at = at;
  }
}
