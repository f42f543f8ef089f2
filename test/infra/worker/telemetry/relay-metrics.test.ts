import { describe, expect, it } from "vitest";
import type { Relay } from "../../../../infra/relay/relay.ts";
import { createMetrics } from "../../../../infra/worker/telemetry/metrics.ts";
import { meterRelay, meterRollouts } from "../../../../infra/worker/telemetry/relay-metrics.ts";
import type { Selection } from "../../../../shared/api/indexes.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import { machineCondition } from "../../../support/builders.ts";
import { virtualClock } from "../../../support/clock.ts";
import { machineDeployment, setOfDeployment } from "../../../support/foo-deployments.ts";

type Status = ReturnType<Relay["status"]>;
type Loop = Status["loops"][number];

const clock = virtualClock();
const NOW_MS = clock.now().getTime();

const NO_EVENTS = { ADDED: 0, MODIFIED: 0, DELETED: 0, BOOKMARK: 0 };

function loop(name: string, more: Partial<Loop> = {}): Loop {
  return {
    name,
    state: "streaming",
    lists: 1,
    events: 0,
    eventsByType: { ...NO_EVENTS, MODIFIED: more.events ?? 0 },
    bytes: 0,
    pending: 0,
    undecodable: 0,
    oversized: undefined,
    reconnects: {},
    resourceVersion: "7",
    lastByteAt: undefined,
    lastEventAt: undefined,
    lastHeardAt: NOW_MS,
    lagMs: undefined,
    ...more,
  };
}

async function metered(first: Partial<Status>) {
  let status: Status = { ready: true, loops: [], connections: [], ...first };
  const metrics = await createMetrics([]);
  meterRelay({ status: () => status }, metrics, clock);
  return {
    text: () => metrics.text(),
    show: (next: Partial<Status>) => {
      status = { ...status, ...next };
    },
  };
}

const POOLS = 'server="management",resource="machinepools.cluster.x-k8s.io"';
const NODES = 'server="workload",resource="nodes"';

describe("metrics of the relay", () => {
  it("KR-23: show state, silence, lists, events and reconnects of a loop", async () => {
    const { text } = await metered({
      ready: false,
      loops: [
        loop("management machinepools.cluster.x-k8s.io", {
          events: 12,
          undecodable: 1,
          reconnects: { closed: 3, Expired: 2, "made up by a server": 1 },
          eventsByType: { ADDED: 7, MODIFIED: 4, DELETED: 1, BOOKMARK: 9 },
          bytes: 4_096,
          pending: 3,
          lastByteAt: NOW_MS - 90_000,
          lastEventAt: NOW_MS - 600_000,
          lastHeardAt: NOW_MS - 95_000,
          lagMs: 2_500,
        }),
      ],
    });
    const shown = await text();
    expect(shown).toContain("capstan_relay_ready 0\n");
    expect(shown).toContain(`capstan_relay_loops{${POOLS},state="streaming"} 1\n`);
    expect(shown).toContain(`capstan_relay_silent_seconds{${POOLS}} 90\n`);
    expect(shown).toContain(`capstan_relay_lists_total{${POOLS}} 1\n`);
    expect(shown).toContain(`capstan_relay_quiet_seconds{${POOLS}} 600\n`);
    expect(shown).toContain(`capstan_relay_lag_seconds{${POOLS}} 2.5\n`);
    expect(shown).toContain(`capstan_relay_pending_events{${POOLS}} 3\n`);
    expect(shown).toContain(`capstan_relay_received_bytes_total{${POOLS}} 4096\n`);
    expect(shown).toContain(`capstan_relay_events_total{${POOLS},type="ADDED"} 7\n`);
    expect(shown).toContain(`capstan_relay_events_total{${POOLS},type="BOOKMARK"} 9\n`);
    expect(shown).toContain(`capstan_relay_undecodable_total{${POOLS}} 1\n`);
    expect(shown).toContain(`capstan_relay_reconnects_total{${POOLS},cause="closed"} 3\n`);
    expect(shown).toContain(`capstan_relay_reconnects_total{${POOLS},cause="Expired"} 2\n`);
    expect(shown).toContain(`capstan_relay_reconnects_total{${POOLS},cause="other"} 1\n`);
  });

  it("S-44: add up workload clusters and provider kinds instead of naming them", async () => {
    const connections = Array.from({ length: 20 }, (_, n) => ({
      cluster: `default/c${n}`,
      state: n === 0 ? ("unreachable" as const) : ("connected" as const),
      nodes: loop(`default/c${n} nodes`, {
        events: 2,
        ...(n === 0 ? { state: "backoff", lastHeardAt: NOW_MS - 600_000 } : { state: "streaming" }),
      }),
    }));
    const loops = ["foos.infra.dev", "bars.infra.dev"].map((name) => loop(`management ${name}`));
    const { text } = await metered({ loops, connections });
    const shown = await text();
    expect(shown).toContain(`capstan_relay_loops{${NODES},state="streaming"} 19\n`);
    expect(shown).toContain(`capstan_relay_loops{${NODES},state="backoff"} 1\n`);
    expect(shown).toContain(`capstan_relay_silent_seconds{${NODES}} 0\n`);
    expect(shown).toContain(`capstan_relay_events_total{${NODES},type="MODIFIED"} 40\n`);
    expect(shown).toContain(
      'capstan_relay_loops{server="management",resource="provider",state="streaming"} 2\n',
    );
    expect(shown).toContain('capstan_relay_connections{state="connected"} 19\n');
    expect(shown).toContain('capstan_relay_connections{state="unreachable"} 1\n');
    expect(shown).not.toMatch(/c\d+ |foos|bars/);
  });

  it("show how long a management server is silent, also once every watch of it has ended", async () => {
    const ended = { state: "backoff", lastByteAt: NOW_MS - 200_000, lastHeardAt: NOW_MS - 200_000 } as const;
    const { text } = await metered({ loops: [loop("management machinepools.cluster.x-k8s.io", ended)] });
    expect(await text()).toContain(`capstan_relay_silent_seconds{${POOLS}} 200\n`);
  });

  it("only ever count up, also when a cluster goes and another of its name comes", async () => {
    const seen = (events: number) => ({
      connections: [
        { cluster: "default/c1", state: "connected" as const, nodes: loop("default/c1 nodes", { events }) },
      ],
    });
    const { text, show } = await metered(seen(5));
    expect(await text()).toContain(`capstan_relay_events_total{${NODES},type="MODIFIED"} 5\n`);
    expect(await text()).toContain(`capstan_relay_events_total{${NODES},type="MODIFIED"} 5\n`);
    show({ connections: [] });
    expect(await text()).toContain(`capstan_relay_events_total{${NODES},type="MODIFIED"} 5\n`);
    show(seen(3));
    expect(await text()).toContain(`capstan_relay_events_total{${NODES},type="MODIFIED"} 8\n`);
    show(seen(1));
    expect(await text()).toContain(`capstan_relay_events_total{${NODES},type="MODIFIED"} 9\n`);
  });
});

it("counts rollouts that have stood still for ten minutes, once a minute, and looks at the sets of no deployment at rest", async () => {
  const moving = { conditions: [machineCondition("RollingOut", "True", "RollingOut")] };
  const deployments = [
    machineDeployment({ status: moving }),
    machineDeployment({ metadata: { name: "d2", uid: "uid-d2" } }),
  ];
  const metadata = { annotations: { "machinedeployment.clusters.x-k8s.io/revision": "1" } };
  let set = setOfDeployment("d1-aaaaa", { metadata, status: { replicas: 3, availableReplicas: 1 } });
  const asked: Selection[] = [];
  const server: { isAway: boolean } = { isAway: false };
  const each = async function* (): AsyncIterable<KubeObject> {
    if (server.isAway) throw new Error("away");
    yield* deployments;
  };
  const list = async (_: unknown, selection: Selection): Promise<KubeObject[]> => {
    asked.push(selection);
    return [set];
  };
  let heardAt: Date | undefined;
  const signs = {
    read: async () => heardAt && new Map([["cluster.x-k8s.io/MachineDeployment", heardAt]]),
  };
  const metrics = await createMetrics([]);
  let now = new Date(Date.parse(set.metadata.creationTimestamp ?? "") + 599_000);
  meterRollouts({ each, list, signs } as never, metrics, { now: () => now } as never);
  expect(await metrics.text()).toContain("\ncapstan_rollouts_standing_still 0\n");
  now = new Date(now.getTime() + 59_000);
  expect(await metrics.text()).toContain("\ncapstan_rollouts_standing_still 0\n");
  expect(asked).toEqual([{ index: { name: "owner", values: ["uid-d1"] } }]);
  now = new Date(now.getTime() + 1_000);
  expect(await metrics.text()).toContain("\ncapstan_rollouts_standing_still 1\n");

  now = new Date(now.getTime() + 60_000);
  set = setOfDeployment("d1-aaaaa", {
    metadata,
    status: { replicas: 3, availableReplicas: 3, upToDateReplicas: 3 },
  });
  expect(await metrics.text()).toContain("\ncapstan_rollouts_standing_still 0\n");

  heardAt = now;
  now = new Date(now.getTime() + 60_000);
  expect(await metrics.text()).not.toContain("\ncapstan_rollouts_standing_still ");
  heardAt = now;
  expect(await metrics.text()).toContain("\ncapstan_rollouts_standing_still 0\n");

  server.isAway = true;
  now = new Date(now.getTime() + 60_000);
  expect(await metrics.text()).not.toContain("\ncapstan_rollouts_standing_still ");
});
