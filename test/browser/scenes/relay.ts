import type { RelayAnswer } from "../../../infra/console/api/relay.ts";
import { ago, MINUTE, NOW, type Scene } from "../scene.ts";
import { ME } from "./me.ts";
import { PLAYED } from "./played.ts";

const troubled: Omit<RelayAnswer, "asOf"> = {
  processes: [
    {
      id: "capstan-relay-0",
      role: "relay",
      version: "0.1.0",
      ready: true,
      reasons: [],
      functions: [],
      seenAt: NOW,
      watches: [
        {
          name: "clusters.cluster.x-k8s.io",
          state: "streaming",
          lists: 1,
          resourceVersion: "81209",
          pending: 0,
          undecodable: 0,
          reconnects: {},
        },
        {
          name: "machines.cluster.x-k8s.io",
          state: "streaming",
          lists: 3,
          resourceVersion: "81209",
          pending: 12,
          undecodable: 0,
          reconnects: { "410 Gone": 2 },
        },
        {
          name: "simmachines.infrastructure.cluster.x-k8s.io",
          state: "backoff",
          lists: 1,
          pending: 0,
          undecodable: 2,
          reconnects: { "connection refused": 7 },
          oversized: "SimMachine default/huge",
        },
      ],
    },
    {
      id: "capstan-worker-core-6d4f",
      role: "worker",
      version: "0.1.0",
      ready: true,
      reasons: [],
      functions: ["cluster-status", "machine-node"],
      running: 20,
      seenAt: NOW,
    },
    {
      id: "capstan-worker-core-8c1a",
      role: "worker",
      version: "0.0.9",
      ready: false,
      reasons: ["its version differs from the relay's"],
      functions: ["machinepool-nodes"],
      running: 0,
      seenAt: NOW,
    },
  ],
  connections: [
    {
      namespace: "payments",
      name: "eu-north-02",
      state: "unreachable",
      reason: "dial tcp 10.40.2.1:6443: connection refused",
      since: ago(9.5 * MINUTE),
    },
    {
      namespace: "payments",
      name: "eu-west-04",
      state: "unknown",
      reason: 'kubeconfig Secret payments/eu-west-04-kubeconfig: key "value" missing',
      since: ago(41.5 * MINUTE),
    },
  ],
  connected: 9_998,
};

export const RELAY_SCENES: readonly Scene[] = [
  { name: "relay", path: "/relay", answers: { me: ME, relay: await PLAYED.ask("relay") }, shows: "worker-2" },
  {
    name: "relay-troubled",
    path: "/relay",
    answers: { me: ME, relay: troubled },
    shows: "9,998 others are connected",
  },
  {
    name: "relay-gone",
    path: "/relay",
    answers: { me: ME, relay: { processes: [], connections: [], connected: 0 } },
    shows: "No process is known",
  },
];
