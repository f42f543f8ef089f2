import parse from "semver/functions/parse.js";
import { BROUGHT_BY, CustomResourceDefinition, isOurs } from "../../shared/api/core.ts";
import type { KubeObject } from "../../shared/api/kinds.ts";
import { valueAt } from "../../shared/api/path.ts";
import { KINDS } from "../../shared/api/registry.ts";
import { SERVED_ONLY } from "../../shared/api/traits.ts";
import { MINUTE } from "../../shared/function/backoff.ts";
import type { Clock, KubeClient, Log } from "../../shared/runtime/ports.ts";
import { type ConversionClient, loadCrds } from "../platform/crds/crd.ts";
import { packageVersion } from "../platform/package-version.ts";
import { rest } from "../platform/rest.ts";
import { createTurns } from "../relay/turns.ts";
import { untilAnswered } from "./management.ts";

/** Each definition makes the server build its API again: more of them at once would only make all late. */
const AT_ONCE = 4;
const WITHIN_MS = 5 * MINUTE;

interface Installing {
  /** Says who converts older versions; absent: none is served. */
  readonly converting?: ConversionClient | undefined;
  readonly log?: Log | undefined;
}

/**
 * Installs or updates Capstan's CRDs, with their older versions where `converting` says who converts them, and waits until
 * they are served, for 5 min. Refuses, before it writes anything, when one of them exists and is not Capstan's, and names
 * it; one of a kind that is only served is left to its owner then. Those that a newer version of Capstan has installed
 * stay: objects may have fields that these would remove (decision record 20).
 */
export async function installCrds(
  client: KubeClient,
  clock: Clock,
  { converting, log }: Installing = {},
): Promise<void> {
  const { SIM_KINDS } = await import("../playground/api/kinds.ts");
  const all = await loadCrds([...KINDS, ...SIM_KINDS], converting);
  const lastAt = clock.now().getTime() + WITHIN_MS;
  const turns = createTurns(AT_ONCE);
  const patiently = <T>(ask: () => Promise<T>) =>
    turns.take(() => untilAnswered(ask, { clock, log, withinMs: lastAt - clock.now().getTime() }));
  const read = (crd: KubeObject) => patiently(() => client.get(CustomResourceDefinition, nameOf(crd)));
  const existing = await Promise.all(all.map(read));
  const others = existing.flatMap((crd) => (crd === undefined || isOurs(crd) ? [] : [crd.metadata.name]));
  const inTheWay = others.filter((name) => !SERVED_ONLY.has(name));
  if (inTheWay.length > 0) {
    throw new Error(
      `these CustomResourceDefinitions exist and are not Capstan's: ${inTheWay.join(", ")}; ` +
        "leave out --install-crds to work with them as they are",
    );
  }
  const newer = existing.flatMap((crd) => (crd !== undefined && isNewer(crd) ? [crd.metadata.name] : []));
  const wanted = all.filter(({ metadata: { name } }) => !others.includes(name) && !newer.includes(name));
  const apply = (crd: KubeObject) =>
    patiently(() => client.apply(CustomResourceDefinition, nameOf(crd), withVersion(crd)));
  await Promise.all(wanted.map(apply));
  await Promise.all(
    wanted.map(async (crd) => {
      while (!isEstablished(await read(crd))) {
        if (clock.now().getTime() >= lastAt) throw notEstablished(crd);
        await rest(100, clock);
      }
    }),
  );
}

function isEstablished(crd: KubeObject | undefined): boolean {
  return crd !== undefined && valueAt(crd, "status.conditions[Established].status") === "True";
}

function notEstablished({ metadata }: KubeObject): Error {
  return new Error(
    `CustomResourceDefinition ${metadata.name} is not Established after 5 min; kubectl describe it`,
  );
}

function withVersion(crd: KubeObject): KubeObject {
  const annotations = { ...crd.metadata.annotations, [BROUGHT_BY]: packageVersion() };
  return { ...crd, metadata: { ...crd.metadata, annotations } };
}

function isNewer({ metadata }: KubeObject): boolean {
  const by = parse(metadata.annotations?.[BROUGHT_BY]);
  return by !== null && by.compare(packageVersion()) > 0;
}

function nameOf(crd: KubeObject): { namespace: string; name: string } {
  return { namespace: "", name: crd.metadata.name };
}
