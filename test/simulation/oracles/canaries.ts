import { composeLetter, summarizeAttempt } from "../../../shared/runtime/letters/compose-letter.ts";
import type { Death } from "../../../shared/runtime/letters/dead-letters-port.ts";
import type { World } from "../play/world.ts";
import type { Oracle } from "./oracle.ts";

/** A shorter line may stand anywhere by chance. */
const LEAST_CHARACTERS = 20;
const CLIENT_KEY = /\bclient-key-data: (\S+)/g;
const BUILD = { version: "simulated", configDigest: "" };

/** Contents of Secrets stand nowhere else: S-21. */
export const canaries: readonly Oracle[] = [
  {
    number: "S-21",
    title: "what a Secret holds is in no other object, Event, log line, snapshot, ledger entry or letter",
    watch({ world, violated, evaluated, onRest }) {
      const { management, ledger, store, network, failures } = world;
      const canaryIn = canariesOf(world);
      const search = (where: string, content: unknown): void => {
        const text = typeof content === "string" ? content : JSON.stringify(content);
        evaluated();
        const canary = canaryIn(text);
        // The trace is kept, so the whole of it is not said.
        if (canary !== undefined) violated(`${where} has ${canary.slice(0, 8)}… of a Secret`);
      };
      management.onChange((type, { object }) => {
        const { namespace, name } = object.metadata;
        if (type !== "/secrets") search(`${type} ${namespace ?? ""}/${name}`, object);
      });
      network.witness(({ server, request }) => {
        if (server !== management.address && request.body !== undefined)
          search(`a request to a workload server`, request.body);
      });
      store.onShown(({ type, after }) => {
        if (after !== undefined) search(`the snapshot of ${type.kind} ${after.metadata.name}`, after);
      });
      ledger.onEnqueue((functionName, entry) => search(`an entry of ${functionName}`, entry));
      ledger.onFinish(({ functionName, outcome }) => {
        const { record: _, ...kept } = { record: undefined, ...outcome };
        search(`the ledger of ${functionName}`, kept);
      });
      world.onLog((line) => search(`the log of ${line.split(":", 1)[0]}`, line));
      onRest(async () => {
        for (const run of failures) {
          const death: Death = run.death ?? { reason: "MaxAttempts", priority: "live", since: new Date(0) };
          const attempt = summarizeAttempt(run, death.since, hide);
          const history = { firstFailureAt: attempt.start, attempts: [attempt] };
          search(
            `a letter of ${run.function}`,
            await composeLetter({ ...run, death }, { build: BUILD, history, hide }),
          );
        }
      });
    },
  },
];

function hide(): string {
  return "hmac-sha256:0000000000000000";
}

/** Finds what any Secret has ever held; undefined: the text has none of it. */
function canariesOf({ management }: World): (text: string) => string | undefined {
  const canaries = new Set<string>();
  management.onChange((type, { object }) => {
    if (type !== "/secrets") return;
    const { data = {} } = object as { readonly data?: { readonly [name: string]: string } };
    for (const value of Object.values(data)) for (const canary of secretsIn(value)) canaries.add(canary);
  });
  return (text) => {
    for (const canary of canaries) if (text.includes(canary)) return canary;
    return undefined;
  };
}

/** The value itself; of a kubeconfig its key, of anything else its lines; certificates are public. */
function secretsIn(value: string): readonly string[] {
  const text = Buffer.from(value, "base64").toString("utf8");
  const inside = text.includes("kind: Config")
    ? [...text.matchAll(CLIENT_KEY)].flatMap(([, found = ""]) => [found, ...linesOf(atob(found))])
    : linesOf(text);
  return [value, ...inside].filter(({ length }) => length >= LEAST_CHARACTERS);
}

function linesOf(text: string): readonly string[] {
  return text.includes("-----BEGIN CERTIFICATE-----")
    ? []
    : text.split("\n").filter((line) => !line.startsWith("-----"));
}
