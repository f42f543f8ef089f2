import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactText } from "../../../shared/redaction/redact-text.ts";

const HIDDEN = "hmac-sha256:0123456789abcdef";
const hide = (): string => HIDDEN;
const CANARY = "c4n4ry-s3cr3t-v4lue";
const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${CANARY}\n-----END RSA PRIVATE KEY-----`;
const KUBECONFIG = `apiVersion: v1\nkind: Config\nclusters: []\nusers:\n- name: a\n  user:\n    token: ${CANARY}\n`;

describe("redaction of texts", () => {
  it.each([
    [`Authorization: Bearer ${CANARY}`, `Authorization: Bearer ${HIDDEN}`],
    [`Authorization: Basic ${btoa(CANARY)} was refused`, `Authorization: Basic ${HIDDEN} was refused`],
    [`Authorization: ${CANARY}`, `Authorization: ${HIDDEN}`],
    [
      `Proxy-Authorization: Digest username="a", response="${CANARY}"`,
      `Proxy-Authorization: Digest ${HIDDEN}`,
    ],
    [`{ authorization: 'Basic ${CANARY}' }`, `{ authorization: 'Basic ${HIDDEN}' }`],
    [
      `{"headers":{"Authorization":["Bearer ${CANARY}"]}}`,
      `{"headers":{"Authorization":["Bearer ${HIDDEN}"]}}`,
    ],
    [`{\\"Authorization\\":\\"Basic ${CANARY}\\"}`, `{\\"Authorization\\":\\"Basic ${HIDDEN}\\"}`],
    [`Cookie: a=${CANARY}; b=${CANARY}\nHost: x`, `Cookie: ${HIDDEN}\nHost: x`],
    [`GET https://user:${CANARY}@host/path failed`, `GET https://${HIDDEN}@host/path failed`],
    [`redis://:${CANARY}/x@host:6379 failed`, `redis://${HIDDEN}@host:6379 failed`],
    [`https://user:p@${CANARY}@host/`, `https://${HIDDEN}@host/`],
    [`see https://a.dev/?next=https://u:${CANARY}@host/`, `see https://a.dev/?next=https://${HIDDEN}@host/`],
    ["https://hooks.dev/services/T0/B0/aB3dE5gH7jK9mN1pQ3sT", `https://hooks.dev/services/T0/B0/${HIDDEN}`],
    [`https://api.dev/bot123456:ABC-d${CANARY}/send`, `https://api.dev/${HIDDEN}/send`],
    [`https://vault.dev/v1/auth/token/${CANARY}`, `https://vault.dev/v1/auth/token/${HIDDEN}`],
    [`https://x.dev/a?sig=${CANARY}&b=1`, `https://x.dev/a?sig=${HIDDEN}&b=1`],
    [`https://x.dev/a?X-Amz-Credential=${CANARY}#b`, `https://x.dev/a?X-Amz-Credential=${HIDDEN}#b`],
    [`password=${CANARY}&x=1`, `password=${HIDDEN}&x=1`],
    [`password: ${CANARY} was refused`, `password: ${HIDDEN} was refused`],
    [`passphrase: ${CANARY}`, `passphrase: ${HIDDEN}`],
    [`password="two ${CANARY}" x`, `password="${HIDDEN}" x`],
    [
      `DB_PASSWORD=${CANARY} AWS_SECRET_ACCESS_KEY=${CANARY}`,
      `DB_PASSWORD=${HIDDEN} AWS_SECRET_ACCESS_KEY=${HIDDEN}`,
    ],
    [`a:\n  - clientSecret: ${"letters"}\n`, `a:\n  - clientSecret: ${HIDDEN}\n`],
    [`X-Auth-Token: ${CANARY}, and more`, `X-Auth-Token: ${HIDDEN}, and more`],
    [`{"token":"${CANARY}"}`, `{"token":"${HIDDEN}"}`],
    [`{\\"token\\":\\"${CANARY}\\"}`, `{\\"token\\":\\"${HIDDEN}\\"}`],
    [
      "--kubeconfig names a server, --cert-dir /etc/capstan",
      "--kubeconfig names a server, --cert-dir /etc/capstan",
    ],
    [`kubeadm join a:6443 --token ${CANARY} --v 5`, `kubeadm join a:6443 --token ${HIDDEN} --v 5`],
    ["use abcdef.0123456789abcdef to join", `use ${HIDDEN} to join`],
    ["ghp_0123456789abcdefABCDEF0123456789abcd is one", `${HIDDEN} is one`],
    [`x ${PEM} y`, `x ${HIDDEN} y`],
    [`${JSON.stringify(PEM)} y`, `"${HIDDEN}" y`],
    [`data ${"QUJD".repeat(60)}== is bad`, `data ${HIDDEN} is bad`],
    ["eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.abc is a token", `${HIDDEN} is a token`],
    [`cannot parse ${KUBECONFIG}`, `cannot parse ${HIDDEN}`],
    [`bad: {"kind":"Config","a":"${CANARY}"}`, `bad: ${HIDDEN}`],
    [`bad: "{\\"kind\\":\\"Config\\",\\"a\\":\\"${CANARY}\\"}"`, `bad: "${HIDDEN}`],
    [`bad user data #cloud-config\nwrite_files: ${CANARY}`, `bad user data ${HIDDEN}`],
  ])("scrubs %j", (text, scrubbed) => {
    expect(redactText(text, hide)).toBe(scrubbed);
    expect(redactText(scrubbed, () => "hmac-sha256:ffffffffffffffff")).toBe(scrubbed);
  });

  it.each([
    "waiting for the Secret default/c1-kubeconfig",
    "Secret: default/my-cluster-1-kubeconfig",
    'secrets "my-cluster-1-kubeconfig" not found',
    "cannot read the bootstrap token: expired",
    "https://127.0.0.1:6443/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machinepools/my-pool-0-5d8f4b7c9d-abcde",
    "https://127.0.0.1:6443/api/v1/namespaces/default/secrets/c1-kubeconfig?timeout=10s&resourceVersion=1234567890",
    "GET https://[::1]:6443/api failed: connect ECONNREFUSED",
    "aws:///eu-west-1a/i-0123456789abcdef0",
    "azure:///subscriptions/0aB1-2cD3/resourceGroups/MyGroup1/providers/Microsoft.Compute/vm/0",
    "capstan dlq show machinepool-nodes 'default/c1|MachinePool|default/p1'",
    "registry.k8s.io/pause@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
  ])("keeps %j", (text) => {
    expect(redactText(text, hide)).toBe(text);
  });

  it.each([
    "?token: password#cloud-config:#",
    '\ntoken: "\\#cloud-configcookie',
    "https://eyJaaaaaaaaaa.a.a?@@\\",
    "https://eyJaaaaaaaaaa.a.a#@a@\\",
  ])("changes nothing the second time in %j", (text) => {
    const once = redactText(text, hide);
    expect(redactText(once, () => "hmac-sha256:ffffffffffffffff")).toBe(once);
  });

  it("changes nothing the second time", () => {
    const words = fc.constantFrom(
      ...[
        "token",
        "Authorization",
        "Bearer ",
        "password",
        "cookie",
        "https://",
        "://",
        "@",
        "/",
        "?",
        "&",
        "#",
      ],
      ...[
        "=",
        ": ",
        ":",
        '"',
        "'",
        "\\",
        "\n",
        "--",
        "-----BEGIN A-----",
        "[",
        " ",
        "kind: Config",
        "digest ",
      ],
      ...["a", "aB3dE5gH7jK9mN1pQ3sT", HIDDEN, "#cloud-config", "eyJaaaaaaaaaa.a.a"],
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 12 }), (parts) => {
        const once = redactText(parts.join(""), hide);
        expect(redactText(once, () => "hmac-sha256:ffffffffffffffff")).toBe(once);
      }),
      { numRuns: 2_000 },
    );
  });

  // With quadratic time each of them would take hours.
  it.each([
    ...[
      "a",
      "://",
      "a://",
      "a://b:",
      "http://a/",
      "https://a@",
      "-----BEGIN A-----",
      "eyJaaaaaaaaa.",
      "token=",
    ],
    ...[
      "bearer ",
      "authorization: ",
      "cookie:",
      "--a ",
      "-",
      "password: ",
      'token":"',
      "\\",
      '"',
      "?a=",
      "\n",
      "kind:",
    ],
    ...["a\n", "passwordpassword", "aaaaaa.", "authorization", "xoxb-", "{", "token: \\\\\\"],
  ])("ends on a text of a MiB of %j", (part) => {
    expect(redactText(part.repeat(Math.ceil(1_048_576 / part.length)), hide)).toBeTypeOf("string");
  });
});
