import { describe, expect, it } from "vitest";
import type { SimBootstrapConfig } from "../../../../../infra/playground/api/sim-bootstrap.ts";
import { simBootstrap } from "../../../../../infra/playground/functions/sim/bootstrap.ts";
import type { Secret } from "../../../../../shared/api/core.ts";
import { done, failed, waitFor } from "../../../../../shared/function/result.ts";
import { cluster, machinePool, merge, type Overrides, OWNED_BY_P1 } from "../../../../support/builders.ts";
import { soloMachine } from "../../../../support/machines.ts";
import { decide, given } from "../../../../support/world.ts";

function config(overrides: Overrides<SimBootstrapConfig> = {}): SimBootstrapConfig {
  return merge<SimBootstrapConfig>(
    {
      apiVersion: "bootstrap.sim.capstan.dev/v1beta2",
      kind: "SimBootstrapConfig",
      metadata: {
        name: "p1-config",
        namespace: "default",
        uid: "uid-config",
        resourceVersion: "60",
        generation: 1,
        labels: { "cluster.x-k8s.io/cluster-name": "c1" },
        ownerReferences: [OWNED_BY_P1],
      },
      spec: {},
    },
    overrides,
  );
}

function secret(ownerUid: string): Secret {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: "p1-config-data",
      namespace: "default",
      uid: "uid-secret",
      ownerReferences: [{ apiVersion: "v1", kind: "Any", name: "any", uid: ownerUid }],
    },
  };
}

describe("sim-bootstrap", () => {
  it("waits for the owner reference of the MachinePool", async () => {
    const world = given(cluster(), machinePool(), config({ metadata: { ownerReferences: [] } }));
    expect(await decide(simBootstrap, world)).toEqual({
      result: waitFor("SimBootstrapConfig.metadata.ownerReferences"),
    });
  });

  it("waits for the Cluster's infrastructure without counting an attempt", async () => {
    const world = given(cluster({ status: { initialization: undefined } }), machinePool(), config());
    const decision = await decide(simBootstrap, world);
    expect(decision.create).toBeUndefined();
    expect(decision.apply).toMatchObject({
      "status.dataSecretName": undefined,
      "status.conditions": [{ type: "Ready", status: "False", reason: "NotReady" }, { type: "Paused" }],
    });
    expect(decision.result).toEqual(waitFor("Cluster.status.initialization.infrastructureProvisioned"));
  });

  it("creates the Secret and names it", async () => {
    const decision = await decide(simBootstrap, given(cluster(), machinePool(), config()));
    expect(decision.create?.map(({ object }) => object)).toMatchObject([
      {
        kind: "Secret",
        type: "cluster.x-k8s.io/secret",
        metadata: {
          name: "p1-config-data",
          namespace: "default",
          labels: { "cluster.x-k8s.io/cluster-name": "c1" },
          ownerReferences: [{ kind: "SimBootstrapConfig", uid: "uid-config", controller: true }],
        },
      },
    ]);
    expect(decision.apply).toMatchObject({
      "status.dataSecretName": "p1-config-data",
      "status.initialization.dataSecretCreated": true,
      "status.conditions": [{ type: "Ready", status: "True" }, { type: "Paused" }],
    });
    expect(decision.result).toEqual(done);
  });

  it("writes the data of a Machine of its own, too", async () => {
    const owner = { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Machine", name: "m1", uid: "uid-m1" };
    const own = config({ metadata: { ownerReferences: [{ ...owner, controller: true }] } });
    const { create } = await decide(simBootstrap, given(cluster(), soloMachine(), own));
    expect(create?.[0]?.object.metadata).toMatchObject({
      name: "p1-config-data",
      labels: { "cluster.x-k8s.io/cluster-name": "c1" },
    });
  });

  it("creates nothing when the Secret is there already", async () => {
    const world = given(cluster(), machinePool(), config(), secret("uid-config"));
    const decision = await decide(simBootstrap, world);
    expect(decision.create).toEqual([]);
    expect(decision.apply).toMatchObject({ "status.initialization.dataSecretCreated": true });
  });

  it("looks at the Secret no more once it was created", async () => {
    const created = config({
      status: { dataSecretName: "p1-config-data", initialization: { dataSecretCreated: true } },
    });
    const world = given(cluster(), machinePool(), created, secret("uid-other"));
    expect(await decide(simBootstrap, world)).toMatchObject({
      apply: {
        "status.dataSecretName": "p1-config-data",
        "status.conditions": [{ type: "Ready", status: "True" }, { type: "Paused" }],
      },
      result: done,
    });
  });

  it("takes no Secret that belongs to something else", async () => {
    const message =
      "Secret p1-config-data belongs to something else; rename the SimBootstrapConfig or delete the Secret";
    const world = given(cluster(), machinePool(), config(), secret("uid-other"));
    const decision = await decide(simBootstrap, world);
    expect(decision.apply).toMatchObject({
      "status.dataSecretName": undefined,
      "status.conditions": [{ type: "Ready", status: "False", message }, { type: "Paused" }],
    });
    expect(decision.result).toEqual(failed("SecretConflict", message));
  });

  it("leaves a config that is being deleted alone", async () => {
    const deleted = config({ metadata: { deletionTimestamp: "2026-01-01T11:59:00Z" } });
    expect(await decide(simBootstrap, given(cluster(), machinePool(), deleted))).toEqual({ result: done });
  });
});
