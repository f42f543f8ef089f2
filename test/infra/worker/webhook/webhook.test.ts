import { describe, expect, it } from "vitest";
import { answerReview } from "../../../../infra/worker/webhook/webhook.ts";
import { valueAt } from "../../../../shared/api/path.ts";

const [V1BETA1, V1BETA2] = ["cluster.x-k8s.io/v1beta1", "cluster.x-k8s.io/v1beta2"];
const lookup = (group: string) => `${group}/v1`;

function review(desiredAPIVersion: string, ...objects: readonly unknown[]): object {
  const request = { uid: "u1", desiredAPIVersion, objects };
  return { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request };
}

function cluster(apiVersion: string, name: string, spec?: object): object {
  return { apiVersion, kind: "Cluster", metadata: { name }, ...(spec && { spec }) };
}

describe("a conversion review", () => {
  it("of mixed versions is answered in its order, also of objects without a spec", () => {
    const answer = answerReview(
      review(V1BETA2, cluster(V1BETA1, "a", { paused: true }), cluster(V1BETA2, "b"), cluster(V1BETA1, "c")),
      lookup,
    );
    expect(answer).toEqual({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "ConversionReview",
      response: {
        uid: "u1",
        result: { status: "Success" },
        convertedObjects: [
          cluster(V1BETA2, "a", { paused: true }),
          cluster(V1BETA2, "b"),
          cluster(V1BETA2, "c"),
        ],
      },
    });
  });

  it.each([
    [
      cluster(V1BETA1, "b", { paused: 1 }),
      "Cluster b of cluster.x-k8s.io/v1beta1: spec.paused: must be of type boolean",
    ],
    [
      { apiVersion: V1BETA1, kind: "Sphere", metadata: { name: "b" } },
      "Sphere b of cluster.x-k8s.io/v1beta1: kind Sphere has",
    ],
    [7, "an object has no apiVersion, kind or metadata"],
  ])("with %j fails as a whole, and says why", (object, message) => {
    const answer = answerReview(review(V1BETA2, cluster(V1BETA1, "a"), object), lookup);
    expect(valueAt(answer, "response.convertedObjects")).toBeUndefined();
    expect(valueAt(answer, "response.result")).toEqual({
      status: "Failure",
      message: expect.stringContaining(message),
    });
  });

  it("of a hundred thousand objects is answered", () => {
    const objects = Array.from({ length: 100_000 }, (_, index) => cluster(V1BETA1, `c${index}`));
    const converted = valueAt(answerReview(review(V1BETA2, ...objects), lookup), "response.convertedObjects");
    expect(converted).toHaveLength(100_000);
  });

  it.each([null, [], {}, { kind: "ConversionReview" }, review(V1BETA2).constructor])("is not %j", (body) => {
    expect(() => answerReview(body, lookup)).toThrow("write a ConversionReview of apiextensions.k8s.io/v1");
  });
});
