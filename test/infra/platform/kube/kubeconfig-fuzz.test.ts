import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { dump } from "js-yaml";
import { describe, expect, it } from "vitest";
import { loadKubeconfig, parseKubeconfig } from "../../../../infra/platform/kube/kubeconfig.ts";
import { TerminalError } from "../../../../shared/function/errors.ts";
import { testFolder } from "../../../support/test-folder.ts";

const CREDENTIAL = "s3cr3t-Credential-0123456789";
const base64 = (text: string) => Buffer.from(text).toString("base64");

/** Fields in which a kubeconfig holds credentials. */
const HOLDS_CREDENTIAL = ["token", "password", "client-key-data", "client-certificate-data"] as const;
const FIELDS = [
  ...HOLDS_CREDENTIAL,
  "server",
  "certificate-authority",
  "certificate-authority-data",
  "client-certificate",
  "client-key",
  "tokenFile",
  "tls-server-name",
  "insecure-skip-tls-verify",
  "proxy-url",
  "exec",
  "auth-provider",
  "as",
  "as-groups",
  "username",
  "extensions",
  "disable-compression",
  "__proto__",
  "surprise",
];

interface Dangers {
  /** Exists once a command was run. */
  readonly marker: string;
  /** Holds the credential. */
  readonly file: string;
}

/** Any value for any field: right ones, hostile ones, and ones of a wrong type. */
function value({ marker, file }: Dangers): fc.Arbitrary<unknown> {
  const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "touch", args: [marker] };
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom<unknown>(CREDENTIAL, base64(CREDENTIAL), file, `file://${file}`),
    },
    { weight: 2, arbitrary: fc.constantFrom<unknown>("https://10.0.0.1:6443", "http://127.0.0.1:1", "") },
    {
      weight: 1,
      arbitrary: fc.constantFrom<unknown>(exec, { name: "gcp", config: { "cmd-path": "touch" } }),
    },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(true, false, null, 0, -1, 1e308, [], {}) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  );
}

function kubeconfig(dangers: Dangers): fc.Arbitrary<string> {
  const entry = fc.dictionary(fc.constantFrom(...FIELDS), value(dangers), { maxKeys: 5 });
  // Names may stand in messages: they are not credentials.
  const name = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom<unknown>("a", "b", "") },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) },
  );
  const broken = <T>(arbitrary: fc.Arbitrary<T>) =>
    fc.oneof(
      { weight: 9, arbitrary: arbitrary as fc.Arbitrary<unknown> },
      { weight: 1, arbitrary: value(dangers) },
    );
  const listOf = (field: string, arbitrary: fc.Arbitrary<unknown>) =>
    broken(fc.array(fc.record({ name, [field]: broken(arbitrary) }), { maxLength: 3 }));
  const file = fc.record(
    {
      clusters: listOf("cluster", entry),
      users: listOf("user", entry),
      contexts: listOf("context", fc.record({ cluster: name, user: name })),
      "current-context": name,
      preferences: value(dangers),
    },
    { requiredKeys: [] },
  );
  return file.map((content) => dump(content));
}

/** Text that is nearly YAML. */
function damaged(dangers: Dangers): fc.Arbitrary<string> {
  return fc
    .tuple(
      kubeconfig(dangers),
      fc.nat(),
      fc.constantFrom("", "\u0000", ": [", "\t", "&a ", "*a", "!!js/function ", "{"),
    )
    .map(([text, at, noise]) => {
      const cut = at % (text.length + 1);
      return `${text.slice(0, cut)}${noise}${text.slice(cut)}`;
    });
}

async function withDangers(test: (dangers: Dangers) => Promise<void>): Promise<void> {
  const path = testFolder("fuzz");
  const file = join(path, "credential");
  await writeFile(file, CREDENTIAL);
  await test({ marker: join(path, "was-run"), file });
}

function expectClearError(error: unknown): void {
  expect(error).toBeInstanceOf(TerminalError);
  const { reason, message } = error as TerminalError;
  expect(reason).toBe("InvalidKubeconfig");
  expect(message).not.toContain(CREDENTIAL);
  expect(message).not.toContain(base64(CREDENTIAL));
  expect(message.length).toBeLessThanOrEqual(512);
  expect(message).toMatch(/field|not YAML|longer than|kubeconfig/);
}

describe("any kubeconfig of a workload cluster", () => {
  it("is either access without files and commands, or a clear error without credentials (S-10)", async () => {
    await withDangers(async (dangers) => {
      fc.assert(
        fc.property(fc.oneof(kubeconfig(dangers), damaged(dangers), fc.string()), (text) => {
          try {
            const access = parseKubeconfig(text);
            expect(access.tokenFile ?? access.renew ?? access.insecure).toBeUndefined();
          } catch (error) {
            if (!(error instanceof TerminalError)) throw error;
            expectClearError(error);
          }
        }),
        { numRuns: 2_000 },
      );
      expect(existsSync(dangers.marker)).toBe(false);
    });
  });

  it("never gives what stands in a file it names", async () => {
    await withDangers(async (dangers) => {
      const paths = ["tokenFile", "client-key", "client-certificate", "certificate-authority"];
      fc.assert(
        fc.property(fc.constantFrom(...paths), fc.constantFrom("cluster", "user"), (field, part) => {
          const text = dump({
            clusters: [
              {
                name: "c",
                cluster: {
                  server: "https://10.0.0.1",
                  ...(part === "cluster" ? { [field]: dangers.file } : {}),
                },
              },
            ],
            users: [{ name: "u", user: part === "user" ? { [field]: dangers.file } : {} }],
            contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
          });
          expect(() => parseKubeconfig(text)).toThrow(`field ${field}`);
        }),
      );
    });
  });
});

describe("any kubeconfig of the management cluster", () => {
  it("is either access or a clear error without credentials", async () => {
    await withDangers(async (dangers) => {
      const file = join(dangers.file, "..", "config");
      // Plugins are the user's own and are run; what they do is not the matter here.
      const plain = fc
        .oneof(kubeconfig(dangers), damaged(dangers))
        .filter((text) => !/exec|auth-provider|proxy-url/.test(text));
      await fc.assert(
        fc.asyncProperty(plain, async (text) => {
          await writeFile(file, text);
          try {
            await loadKubeconfig({ file, env: {} });
          } catch (error) {
            if (!(error instanceof TerminalError)) throw error;
            expectClearError(error);
          }
        }),
        { numRuns: 500 },
      );
    });
  });
});
