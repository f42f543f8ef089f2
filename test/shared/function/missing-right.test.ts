import { describe, expect, it } from "vitest";
import { grantCommand, missingRight, refusalText } from "../../../shared/function/missing-right.ts";

const RELAY = "system:serviceaccount:capstan-system:capstan-relay";
const SECRET = `secrets "c1-kubeconfig" is forbidden: User "${RELAY}" cannot get resource "secrets" in API group "" in the namespace "team"`;
const CRDS = `customresourcedefinitions.apiextensions.k8s.io is forbidden: User "ann@example.com" cannot list resource "customresourcedefinitions" in API group "apiextensions.k8s.io" at the cluster scope`;
const STATUS = `machines.cluster.x-k8s.io "m" is forbidden: User "${RELAY}" cannot patch resource "machines/status" in API group "cluster.x-k8s.io" in the namespace "team": RBAC: not found`;

function commandFor(message: string): string {
  const right = missingRight(message);
  return right === undefined ? "" : grantCommand(right);
}

describe("a right that an account lacks", () => {
  it("is granted in the namespace of the object, to the account of a Pod", () => {
    expect(commandFor(SECRET)).toBe(
      "kubectl create role capstan-relay-get-secrets --verb=get --resource=secrets --namespace=team && " +
        "kubectl create rolebinding capstan-relay-get-secrets --role=capstan-relay-get-secrets " +
        "--serviceaccount=capstan-system:capstan-relay --namespace=team",
    );
  });

  it("is granted everywhere where the object is in no namespace, to a user", () => {
    const name = "ann-example-com-list-customresourcedefinitions";
    expect(commandFor(CRDS)).toBe(
      `kubectl create clusterrole ${name} --verb=list --resource=customresourcedefinitions.apiextensions.k8s.io && ` +
        `kubectl create clusterrolebinding ${name} --clusterrole=${name} --user=ann@example.com`,
    );
  });

  it("names group and subresource as kubectl reads them", () => {
    expect(commandFor(STATUS)).toContain("--verb=patch --resource=machines.cluster.x-k8s.io/status ");
  });

  it("is said as a server says it, and granted with others of the same resource", () => {
    for (const message of [SECRET, CRDS]) {
      const right = missingRight(message);
      if (right === undefined) throw new Error(message);
      expect(message).toContain(refusalText(right));
      expect(grantCommand({ ...right, verb: "list,watch" })).toMatch(
        /^kubectl create [a-z]*role ([a-z-]+-list-watch-[a-z]+) --verb=list,watch .* --[a-z]*role=\1 /,
      );
    }
  });

  it("is named where a server checks who changes owners, which does not say whose it is", () => {
    const why = `is forbidden: cannot set an ownerRef on a resource you can't delete: , <nil>`;
    expect(
      commandFor(`patch MachineHealthCheck a/s1: machinehealthchecks.cluster.x-k8s.io "s1" ${why}`),
    ).toBe(
      "add the component owner-enforcement, or let the account delete machinehealthchecks.cluster.x-k8s.io",
    );
    expect(commandFor(`secrets "s1" ${why}`)).toMatch(/delete secrets$/);
  });

  it.each([
    'admission webhook "a.dev" denied the request: no',
    "machines is forbidden: unable to create new content in namespace a because it is being terminated",
    'secrets is forbidden: User "a; rm -rf /" cannot get resource "secrets" in API group ""  at the cluster scope',
    `secrets is forbidden: User "a" cannot get resource "secrets$(x)" in API group "" at the cluster scope`,
  ])("is not named by another refusal: %s", (message) => {
    expect(missingRight(message)).toBeUndefined();
  });
});
