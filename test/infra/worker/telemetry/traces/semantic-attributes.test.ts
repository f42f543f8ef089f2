import { expect, it } from "vitest";
import {
  messagingAttributes,
  placeAttributes,
} from "../../../../../infra/worker/telemetry/traces/semantic-attributes.ts";
import { MANAGEMENT } from "../../../../../shared/api/kinds.ts";

it("an object has the names of OpenTelemetry for its cluster, namespace, Node or Pod, and no other", () => {
  expect(placeAttributes("Node", { namespace: "", name: "n1" }, "team/c1")).toEqual({
    "k8s.cluster.name": "team/c1",
    "k8s.node.name": "n1",
  });
  expect(placeAttributes("Pod", { namespace: "web", name: "a" }, "team/c1")).toEqual({
    "k8s.cluster.name": "team/c1",
    "k8s.namespace.name": "web",
    "k8s.pod.name": "a",
  });
  expect(placeAttributes("Machine", undefined, MANAGEMENT)).toEqual({});
});

it("a run is the processing of a message of its function", () => {
  expect(messagingAttributes("process", "machine-status")).toEqual({
    "messaging.system": "capstan",
    "messaging.operation.type": "process",
    "messaging.operation.name": "run",
    "messaging.destination.name": "machine-status",
  });
});
