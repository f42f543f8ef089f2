import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mask, redact } from "../../../shared/redaction/redact.ts";

const HIDDEN = "hmac-sha256:0123456789abcdef";
const hide = (): string => HIDDEN;
const CANARY = "c4n4ry-s3cr3t-v4lue";
const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${CANARY}\n-----END RSA PRIVATE KEY-----`;
const KUBECONFIG = `apiVersion: v1\nkind: Config\nclusters: []\nusers:\n- name: a\n  user:\n    token: ${CANARY}\n`;

describe("redaction", () => {
  it.each([
    [
      "data of a Secret",
      { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data: { value: CANARY } },
    ],
    ["stringData of anything", { kind: "Thing", stringData: { a: CANARY } }],
    ["data of what is created as a Secret", { kind: { kind: "Secret" }, object: { data: { a: CANARY } } }],
    [
      "data of what is applied to a Secret",
      { target: { kind: { kind: "Secret" } }, body: { data: { a: CANARY } } },
    ],
    ["a patch of a Secret's data", { operations: [{ op: "add", path: "/data/a", value: CANARY }] }],
    ["a patch of a field named password", { op: "replace", path: "/spec/rootPassword", value: CANARY }],
    ["a patch of a list of tokens", { op: "add", path: "/spec/tokens/0", value: CANARY }],
    ["an owned field named token", { "spec.joinToken": CANARY }],
    ["a password", { spec: { password: CANARY } }],
    ["a nested credential", { spec: { credentials: { user: { a: [CANARY] } } } }],
    ["a cookie header", { headers: { Cookie: CANARY } }],
    ["an authorization header", { headers: { AUTHORIZATION: CANARY } }],
    ["a key of a map", { spec: { encryptionKeys: { a: CANARY } } }],
    ["a certificate", { spec: { tls: { caCert: CANARY } } }],
    ["an annotation with a domain", { metadata: { annotations: { "a.dev/api-token": CANARY } } }],
    ["a Vault secret ID", { spec: { secretId: CANARY } }],
    ["a kubeconfig in any field", { spec: { content: KUBECONFIG } }],
    ["a kubeconfig as JSON", { text: `{"kind": "Config", "token": "${CANARY}"}` }],
    ["cloud-init in any field", { spec: { content: `#cloud-config\nwrite_files: ${CANARY}` } }],
    ["a PEM block in any field", { spec: { note: `before ${PEM} after` } }],
    ["a PEM block that is cut off", { note: `-----BEGIN PRIVATE KEY-----\n${CANARY}` }],
    ["managedFields", { metadata: { managedFields: [{ manager: CANARY }] } }],
    [
      "the last-applied annotation",
      { metadata: { annotations: { "kubectl.kubernetes.io/last-applied-configuration": CANARY } } },
    ],
    [
      "items of a list of Secrets",
      { apiVersion: "v1", kind: "SecretList", items: [{ metadata: { name: "s" }, data: { a: CANARY } }] },
    ],
    ["files of bootstrap data", { spec: { files: [{ path: "/etc/x", content: CANARY }] } }],
    ["commands before kubeadm", { spec: { preKubeadmCommands: [CANARY, `echo ${CANARY}`] } }],
    ["commands after kubeadm", { spec: { postKubeadmCommands: [CANARY] } }],
    ["values of an environment", { containers: [{ env: [{ name: "A", value: CANARY }] }] }],
    ["values of variables", { spec: { topology: { variables: [{ name: "a", value: { b: CANARY } }] } } }],
    ["custom data", { spec: { customData: CANARY, user_data: CANARY } }],
    ["a passphrase", { spec: { passphrase: CANARY } }],
    ["a patch of a file's content", { op: "add", path: "/spec/files/0/content", value: CANARY }],
    ["a patch of an environment", { op: "add", path: "/spec/env/0/value", value: CANARY }],
    ["a patch of all files", { op: "add", path: "/spec/files", value: [{ content: CANARY }] }],
    ["an owned field below a secret one", { "spec.credentials.user": CANARY }],
    ["a text of base64", { spec: { blob: Buffer.from(CANARY.repeat(20)).toString("base64") } }],
  ])("hides %s", (_, value) => {
    const text = JSON.stringify(redact(value, hide));
    expect(text).not.toContain(CANARY);
    expect(text).not.toContain(Buffer.from(CANARY.repeat(20)).toString("base64").slice(0, 40));
  });

  it.each([
    [
      "identity and references",
      {
        apiVersion: "a/v1",
        kind: "Secret",
        metadata: { name: "token", namespace: "secret", uid: "1", resourceVersion: "2" },
      },
    ],
    [
      "names of Secrets",
      { spec: { bootstrap: { dataSecretName: "p1-data" }, secretRef: { name: "a", key: "value" } } },
    ],
    [
      "taints and selectors",
      {
        taints: [{ key: "a.dev/b", effect: "NoSchedule" }],
        matchExpressions: [{ key: "a", operator: "Exists" }],
      },
    ],
    ["provider IDs", { spec: { providerID: "foo://1", providerIDList: ["foo://1"] } }],
    ["booleans", { status: { initialization: { dataSecretCreated: true } } }],
    [
      "conditions about certificates",
      { "status.conditions[CertificatesAvailable]": { type: "CertificatesAvailable", status: "True" } },
    ],
    ["field managers of contested paths", { metadata: { managers: { "spec.token": ["kubectl"] } } }],
    ["structural markers of schemas", { schema: { "x-kubernetes-list-map-keys": ["type"] } }],
    [
      "labels with a domain that sounds secret",
      { labels: { "secret.dev/zone": "a", "token.dev/team": "b" } },
    ],
    ["references to Secrets", { contentFrom: { secretRef: { name: "a", key: "value" } } }],
    [
      "a patch of a Secret's name",
      { op: "add", path: "/spec/template/spec/bootstrap/dataSecretName", value: "p1-data" },
    ],
  ])("keeps %s", (_, value) => {
    expect(redact(value, hide)).toEqual(value);
  });

  it("changes nothing the second time", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const once = redact({ data: value, spec: { token: value }, kind: "Secret" }, hide);
        expect(redact(once, () => "hmac-sha256:ffffffffffffffff")).toEqual(once);
      }),
    );
  });

  it("makes what two installations have hidden the same for a comparison", () => {
    const value = { kind: "Secret", data: { a: "x" }, message: "Bearer abc" };
    const other = redact(value, () => "hmac-sha256:ffffffffffffffff");
    expect(mask(redact(value, hide))).toEqual(mask(other));
    expect(mask(value)).toEqual(mask(other));
  });

  it("survives hostile values: deep, long, and with members named like prototypes", () => {
    let deep: unknown = CANARY;
    for (let depth = 0; depth < 5_000; depth += 1) deep = { token: [deep] };
    expect(JSON.stringify(redact(deep, hide))).not.toContain(CANARY);
    const hostile: unknown = JSON.parse('{"__proto__": {"password": "c4n4ry"}, "constructor": {"a": 1}}');
    const redacted = redact(hostile, hide) as object;
    expect(Object.getPrototypeOf(redacted)).toBe(Object.prototype);
    expect(JSON.stringify(redacted)).not.toContain("c4n4ry");
  });
});
