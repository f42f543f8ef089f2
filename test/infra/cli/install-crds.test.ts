import { describe, expect, it } from "vitest";
import { installCrds } from "../../../infra/cli/install-crds.ts";
import { loadCrds } from "../../../infra/platform/crds/load.ts";
import { type KubeObject, MANAGEMENT } from "../../../shared/api/kinds.ts";
import { ALL_KINDS } from "../../support/all-kinds.ts";
import { virtualClock } from "../../support/clock.ts";
import { recordingClients } from "../../support/recording-clients.ts";

const ESTABLISHED = { conditions: [{ type: "Established", status: "True" }] };
const wanted = await loadCrds(ALL_KINDS);
const served: readonly KubeObject[] = wanted.map((crd) => ({ ...crd, status: ESTABLISHED }));

describe("installing CRDs", () => {
  it("applies all of them and waits until they are served", async () => {
    const clients = recordingClients(undefined, served);
    await installCrds(clients.of(MANAGEMENT, "up"), virtualClock());
    expect(new Set(clients.sent.map(({ verb, name }) => `${verb} ${name}`))).toEqual(
      new Set(wanted.map(({ metadata }) => `apply ${metadata.name}`)),
    );
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
    const annotations = { "capstan.dev/installed-by": version };
    const there = { ...first, metadata: { ...metadata, annotations } } as KubeObject;
    const clients = recordingClients(undefined, [there, ...rest]);
    await installCrds(clients.of(MANAGEMENT, "up"), virtualClock());
    expect(clients.sent.filter(({ name }) => name === metadata.name)).toHaveLength(applied);
    expect(clients.sent).toHaveLength(wanted.length - 1 + applied);
  });

  it("gives up after 30 s and names the CRD", async () => {
    const clock = virtualClock();
    const installing = installCrds(recordingClients().of(MANAGEMENT, "up"), clock);
    const refused = expect(installing).rejects.toThrow(
      /^CustomResourceDefinition \S+ is not Established after 30 s/,
    );
    await clock.advance(31_000);
    await refused;
  });
});
