import { EVERY_CONTRACT, fail, type Judgement, na, pass, unknown } from "../rule.ts";
import type { ObjectRule, SecretFacts, Unseen } from "./subject.ts";

type Draft = Omit<ObjectRule, "contracts" | "artefact"> & Partial<ObjectRule>;

/** Completes a rule: the same under both contracts, decided by the object; one without a finding passes. */
export function objectRule({ check, ...draft }: Draft): ObjectRule {
  return {
    contracts: EVERY_CONTRACT,
    artefact: "A3",
    ...draft,
    check(subject) {
      const judgements = check(subject);
      return judgements.length === 0 ? [pass()] : judgements;
    },
  };
}

interface Wanted {
  readonly namespace: string;
  readonly name: string;
  /** Namespaces that have a Secret of this name. */
  readonly elsewhere: readonly string[];
  /** The path of the field that names it. */
  readonly path: string;
}

/** A missing Secret is a fault where the server has said so, or where it stands in another namespace. */
export function missing({ why, isAbsent }: Unseen, { namespace, name, elsewhere, path }: Wanted): Judgement {
  const expected = `Secret ${namespace}/${name}`;
  const [other] = elsewhere;
  if (other !== undefined) return fail({ path, found: `Secret ${other}/${name}`, expected });
  return isAbsent
    ? fail({ path, found: `${expected} ${why}`, expected })
    : unknown(`${expected}: ${why}`, { path });
}

/** A Secret, or why it cannot be judged. */
export type Sought = { readonly secret: SecretFacts } | { readonly judgement: Judgement };

/** Judges a Secret. */
export function judgeSought(
  sought: Sought,
  judge: (secret: SecretFacts) => readonly Judgement[],
): readonly Judgement[] {
  return "secret" in sought ? judge(sought.secret) : [sought.judgement];
}

/** The same for rules on the content of a Secret: another rule says that it is missing. */
export function judgeContent(
  sought: Sought,
  judge: (secret: SecretFacts) => readonly Judgement[],
): readonly Judgement[] {
  if ("secret" in sought) return judge(sought.secret);
  return [sought.judgement.verdict === "fail" ? na("the Secret is missing") : sought.judgement];
}
