import type { ErrorBody } from "./api/page.ts";

type Details = Omit<ErrorBody, "status" | "reason" | "message" | "next">;

/** An answer that is an error. Its texts are for the person: the condition and its cause, then the next step. */
export class Problem extends Error {
  readonly body: ErrorBody;
  constructor(
    [status, reason]: readonly [status: number, reason: string],
    texts: Texts,
    details: Details = {},
  ) {
    super(texts.message);
    this.name = "Problem";
    this.body = { status, reason, ...texts, ...details };
  }
}

interface Texts {
  readonly message: string;
  readonly next: string;
}

/** Statuses with their reasons. */
const PROBLEMS = {
  badRequest: [400, "BadRequest"],
  invalidField: [400, "InvalidField"],
  unauthorized: [401, "Unauthorized"],
  forbidden: [403, "Forbidden"],
  foreignHost: [403, "ForeignHost"],
  foreignPage: [403, "ForeignPage"],
  notFound: [404, "NotFound"],
  methodNotAllowed: [405, "MethodNotAllowed"],
  conflict: [409, "Conflict"],
  changed: [412, "Changed"],
  tooLarge: [413, "TooLarge"],
  notJson: [415, "NotJson"],
  tooManyTries: [429, "TooManyTries"],
  tooManyJobs: [429, "TooManyJobs"],
  internal: [500, "InternalError"],
  unavailable: [503, "Unavailable"],
  tooManyStreams: [503, "TooManyStreams"],
} as const;

export function problem(
  name: keyof typeof PROBLEMS,
  message: string,
  next: string,
  details: Details = {},
): Problem {
  return new Problem(PROBLEMS[name], { message, next }, details);
}
