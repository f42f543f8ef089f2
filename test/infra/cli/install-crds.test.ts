import { describe, expect, it } from "vitest";
import { installCrds } from "../../../infra/cli/install-crds.ts";
import { loadCrds } from "../../../infra/platform/crds/crd.ts";
import { type KubeObject, MANAGEMENT } from "../../../shared/api/kinds.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import { ALL_KINDS } from "../../support/all-kinds.ts";
import { virtualClock } from "../../support/clock.ts";
import { recordingClients } from "../../support/recording-clients.ts";
import { recordingLog } from "../../support/recording-log.ts";

const ESTABLISHED = { conditions: [{ type: "Established", status: "True" }] };
const wanted = await loadCrds(ALL_KINDS);
const LATE = new KubeError({
  class: "Transient",
  status: 0,
  reason: "NoAnswer",
  message: "apply CustomResourceDefinition: no answer: not within 10000 ms",
});
const served: readonly KubeObject[] = wanted.map((crd) => ({ ...crd, status: ESTABLISHED }));

describe("installing CRDs", () => {
  it("applies all of them, waits for a server that is slow, says so, and waits until they are served", async () => {
    const clock = virtualClock();
    const { log, lines } = recordingLog();
    const asked = new Set<string>();
    const clients = recordingClients(({ name }) => {
      if (asked.has(name)) return undefined;
      asked.add(name);
      return LATE;
    }, served);
    const installing = installCrds(clients.of(MANAGEMENT, "up"), clock, { log }).then(() => "installed");
    while ((await Promise.race([installing, clock.advance(1_000)])) !== "installed");
    expect(new Set(clients.sent.map(({ verb, name }) => `${verb} ${name}`))).toEqual(
      new Set(wanted.map(({ metadata }) => `apply ${metadata.name}`)),
    );
    expect(clients.sent).toHaveLength(2 * wanted.length);
    const said = { fields: { error: LATE.message }, message: "the start waits for the API server" };
    expect(lines).toContainEqual({ level: "warn", ...said });
  });

  it("ends with what the server has said, once it has been asked for 5 min or refuses", async () => {
    const clock = virtualClock();
    const never = recordingClients(() => LATE, served).of(MANAGEMENT, "up");
    const refused = expect(installCrds(never, clock)).rejects.toThrow(
      /not within 10000 ms: .* then start again$/,
    );
    await clock.advance(5 * 60_000 + 5_000);
    await refused;
    const denied = new KubeError({
      class: "Transient",
      status: 403,
      reason: "Forbidden",
      message: "no right",
    });
    const without = recordingClients(() => denied, served).of(MANAGEMENT, "up");
    await expect(installCrds(without, virtualClock())).rejects.toThrow(/^no right$/);
  });

  it("touches nothing when one of them exists and is not Capstan's", async () => {
    const [first] = served;
    const foreign = { ...first, metadata: { name: first?.metadata.name ?? "" } } as KubeObject;
    const clients = recordingClients(undefined, [foreign, ...served.slice(1)]);
    await expect(installCrds(clients.of(MANAGEMENT, "up"), virtualClock())).rejects.toThrow(
      `not Capstan's: ${foreign.metadata.name}; leave out --install-crds`,
    );
    expect(clients.sent).toEqual([]);
  });

  it("leaves a kind that is served only to the installation that has it", async () => {
    const name = "ipaddressclaims.ipam.cluster.x-k8s.io";
    const found = served.map((crd) => (crd.metadata.name === name ? { ...crd, metadata: { name } } : crd));
    const clients = recordingClients(undefined, found);
    await installCrds(clients.of(MANAGEMENT, "up"), virtualClock());
    expect(clients.sent.map((sent) => sent.name)).not.toContain(name);
    expect(new Set(clients.sent.map((sent) => sent.name)).size).toBe(wanted.length - 1);
  });

  it("refuses the definitions of the chart, which Helm replaces", async () => {
    const [first, ...rest] = served;
    const labels = { "app.kubernetes.io/managed-by": "Helm" };
    const annotations = { "capstan.dev/version": "0.1.0" };
    const there = { ...first, metadata: { name: first?.metadata.name, labels, annotations } } as KubeObject;
    const clients = recordingClients(undefined, [there, ...rest]);
    await expect(installCrds(clients.of(MANAGEMENT, "up"), virtualClock())).rejects.toThrow(
      /exist and are not Capstan's/,
    );
    expect(clients.sent).toEqual([]);
  });

  it.each([
    ["99.0.0", 0],
    ["0.0.1", 1],
    ["of a person", 1],
  ])("leaves what a newer version has installed: %s", async (version, applied) => {
    const [first, ...rest] = served;
    const { metadata } = first ?? { metadata: { name: "" } };
    const annotations = { "capstan.dev/version": version };
    const there = { ...first, metadata: { ...metadata, annotations } } as KubeObject;
    const clients = recordingClients(undefined, [there, ...rest]);
    await installCrds(clients.of(MANAGEMENT, "up"), virtualClock());
    expect(clients.sent.filter(({ name }) => name === metadata.name)).toHaveLength(applied);
    expect(clients.sent).toHaveLength(wanted.length - 1 + applied);
  });

  it("gives up after 5 min and names the CRD", async () => {
    const clock = virtualClock();
    const installing = installCrds(recordingClients().of(MANAGEMENT, "up"), clock);
    const refused = expect(installing).rejects.toThrow(
      /^CustomResourceDefinition \S+ is not Established after 5 min/,
    );
    await clock.advance(5 * 60_000 + 1_000);
    await refused;
  });
});
