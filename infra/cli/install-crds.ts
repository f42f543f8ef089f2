import parse from "semver/functions/parse.js";
import { CustomResourceDefinition, isOurs } from "../../shared/api/core.ts";
import type { KubeObject } from "../../shared/api/kinds.ts";
import { valueAt } from "../../shared/api/path.ts";
import { KINDS } from "../../shared/api/registry.ts";
import { SERVED_ONLY } from "../../shared/api/traits.ts";
import type { Clock, KubeClient } from "../../shared/runtime/ports.ts";
import type { ConversionClient } from "../platform/crds/crd.ts";
import { loadCrds } from "../platform/crds/load.ts";
import { packageVersion } from "../platform/package-version.ts";
import { rest } from "../platform/rest.ts";

/**
 * Installs or updates Capstan's CRDs, with their older versions where `converting` says who converts them, and waits until
 * they are served. Refuses, before it writes anything, when one of them exists and is not Capstan's, and names it; one of
 * a kind that is only served is left to its owner then. Those that a newer version of Capstan has installed stay: objects
 * may have fields that these would remove (decision record 20). Throws after 30 s without `Established`.
 */
export async function installCrds(
  client: KubeClient,
  clock: Clock,
  converting?: ConversionClient,
): Promise<void> {
  const { SIM_KINDS } = await import("../playground/api/kinds.ts");
  const all = await loadCrds([...KINDS, ...SIM_KINDS], converting);
  const existing = await Promise.all(
    all.map(({ metadata }) => client.get(CustomResourceDefinition, { namespace: "", name: metadata.name })),
  );
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
  await Promise.all(
    wanted.map((crd) => client.apply(CustomResourceDefinition, nameOf(crd), withVersion(crd))),
  );
  await Promise.all(wanted.map((crd) => established(client, crd, clock)));
}

/** Annotation: the version of Capstan that has installed a definition. */
const INSTALLED_BY = "capstan.dev/installed-by";

function withVersion(crd: KubeObject): KubeObject {
  const annotations = { ...crd.metadata.annotations, [INSTALLED_BY]: packageVersion() };
  return { ...crd, metadata: { ...crd.metadata, annotations } };
}

function isNewer({ metadata }: KubeObject): boolean {
  const by = parse(metadata.annotations?.[INSTALLED_BY]);
  return by !== null && by.compare(packageVersion()) > 0;
}

async function established(client: KubeClient, crd: KubeObject, clock: Clock): Promise<void> {
  const deadline = clock.now().getTime() + 30_000;
  while (clock.now().getTime() < deadline) {
    const current = await client.get(CustomResourceDefinition, nameOf(crd));
    if (valueAt(current, "status.conditions[Established].status") === "True") return;
    await rest(100, clock);
  }
  throw new Error(
    `CustomResourceDefinition ${crd.metadata.name} is not Established after 30 s; kubectl describe it`,
  );
}

function nameOf(crd: KubeObject): { namespace: string; name: string } {
  return { namespace: "", name: crd.metadata.name };
}
