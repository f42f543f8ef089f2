/** Advisories that are known and accepted, each with its reason and the day on which it counts again (S-54). */
export const ACCEPTED: readonly Accepted[] = [];

export interface Accepted {
  readonly package: string;
  readonly why: string;
  /** `2027-03-31`. */
  readonly until: string;
}

/** Problem of each package, or why the registry did not say. */
export type Audit =
  | { readonly type: "answered"; readonly problems: readonly string[] }
  | { readonly type: "unanswered"; readonly why: string };

const REFUSED: ReadonlySet<unknown> = new Set(["high", "critical"]);

/** Judges what `npm audit --json` printed. `today` as in `until`. Throws where it is neither a report nor npm's error. */
export function judgeAudit(printed: string, today: string, accepted = ACCEPTED): Audit {
  const report: unknown = JSON.parse(printed);
  if (typeof report !== "object" || report === null) throw new Error("npm audit printed no report");
  const { vulnerabilities, error, message } = report as Readonly<Record<string, unknown>>;
  if (error !== undefined) return { type: "unanswered", why: String(message) };
  if (typeof vulnerabilities !== "object" || vulnerabilities === null) {
    throw new Error("npm audit printed a report without vulnerabilities");
  }
  const problems = Object.entries(vulnerabilities as Readonly<Record<string, { severity?: unknown }>>)
    .filter(([, { severity }]) => REFUSED.has(severity))
    .filter(([name]) => !accepted.some((one) => one.package === name && one.until > today))
    .map(([name, { severity }]) => `${name}: ${severity}`);
  return { type: "answered", problems };
}
