import { describe, expect, it } from "vitest";
import { parseTime, storyOf, timeOf } from "./lines.ts";

const UID = "cd56a26f-9f09-48a0-8f9c-4b0bed3b6fa2";
const NAMES = {
  uids: new Map([[UID, "MachinePool default/p1"]]),
  servers: new Map([
    ["127.0.0.1:6443", "management"],
    ["127.0.0.1:6444", "workload c1"],
  ]),
};
const TITLES = new Map([["X-22", "the answer to a write is lost"]]);
const POOLS = "/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machinepools/p1";

const reported = (line: string): string | undefined => storyOf([line], NAMES, TITLES)[0]?.text;
const isMain = (line: string): boolean => storyOf([line], NAMES, TITLES)[0]?.isMain === true;

describe("a line of a story", () => {
  it.each([
    [
      `0 worker-1 request 127.0.0.1:6443 PATCH ${POOLS}/status?force=true&fieldManager=capstan-machinepool-status {"uid":"${UID}"}`,
      'management PATCH machinepools default/p1 status as capstan-machinepool-status {"uid":"uid of MachinePool default/p1"}',
    ],
    [
      `0 worker-1 answer 127.0.0.1:6443 PATCH ${POOLS} {"a b":1} 409`,
      "management PATCH machinepools default/p1 → 409",
    ],
    [
      "0 relay line 127.0.0.1:6444 GET /api/v1/nodes?watch=true&resourceVersion=7&timeoutSeconds=333 MODIFIED p1-0@11",
      "workload c1 watch nodes from 7 MODIFIED p1-0@11",
    ],
    [
      "0 worker-1 ledger finish default/c1|Cluster|default/c1 ok cluster-status",
      "finish default/c1|Cluster|default/c1 ok cluster-status",
    ],
    ["X-22 strikes at somewhere #0", "X-22 (the answer to a write is lost) strikes at somewhere #0"],
    [`violated: F-07: ${UID}`, "violated: F-07: uid of MachinePool default/p1"],
  ])("names server, object and fault of %s", (line, expected) => {
    expect(reported(line)).toBe(expected);
  });

  it.each([
    ["a fault", "X-22 strikes at somewhere #0", true],
    ["a violation", "violated: F-07: in vain", true],
    ["a process that starts", "relay starts", true],
    ["a write", `0 worker-1 request 127.0.0.1:6443 PATCH ${POOLS} {}`, true],
    ["a dry run", `0 worker-1 request 127.0.0.1:6443 PATCH ${POOLS}?dryRun=All {}`, false],
    ["a read", `0 worker-1 request 127.0.0.1:6443 GET ${POOLS}`, false],
    ["the answer to a write", `0 worker-1 answer 127.0.0.1:6443 PATCH ${POOLS} {} 200`, false],
    ["a refused write", `0 worker-1 answer 127.0.0.1:6443 PATCH ${POOLS} {} 422`, true],
    ["a write without an answer", `0 worker-1 answer 127.0.0.1:6443 PATCH ${POOLS} {} reset`, true],
    ["the end of a run", "0 worker-1 ledger finish default/c1|Cluster|default/c1 ok cluster-status", true],
    ["a claim", "0 worker-1 ledger claim cluster-status", false],
    ["a call of the read model", "0 relay store put management Cluster", false],
    [
      "an edit of the noisy tenant",
      "0 user-somebody request 127.0.0.1:6443 PATCH /apis/x/v1/namespaces/noisy/machinepools/noise []",
      false,
    ],
  ])("is a part of the story or not: %s", (_, line, expected) => {
    expect(isMain(line)).toBe(expected);
  });

  it("has the time of the step before it when it has none", () => {
    const lines = storyOf(["relay starts", "1500 relay ledger claim x", "X-22 strikes at y"], NAMES, TITLES);
    expect(lines.map(({ atMs }) => atMs)).toEqual([0, 1_500, 1_500]);
  });
});

it("times are hours, minutes, seconds and milliseconds, and are read back", () => {
  expect([0, 65_250, 3_723_004].map(timeOf)).toEqual(["0:00:00.000", "0:01:05.250", "1:02:03.004"]);
  for (const ms of [0, 65_250, 3_723_004]) expect(parseTime(timeOf(ms))).toBe(ms);
  expect(["3.5", "2:03", "", "soon", "1:2:3:4"].map(parseTime)).toEqual([
    3_500,
    123_000,
    undefined,
    undefined,
    undefined,
  ]);
});
