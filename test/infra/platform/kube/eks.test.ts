import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type EksCluster, eksAccess } from "../../../../infra/platform/kube/eks.ts";
import { loadKubeconfig } from "../../../../infra/platform/kube/kubeconfig.ts";
import { MINUTE } from "../../../../shared/function/backoff.ts";

const PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
const CLUSTER: EksCluster = {
  name: "demo",
  server: "https://ABCDEF.gr7.eu-west-1.eks.amazonaws.com",
  ca: Buffer.from(PEM).toString("base64"),
  region: "eu-west-1",
};
const AT = new Date("2026-01-01T00:00:00Z");
const SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const SESSION = "FwoGZXIvYXdzEXAMPLE/token+with=signs";

beforeEach(() => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", SECRET);
});
afterEach(() => void vi.unstubAllEnvs());

/** The request that a token carries. */
function requestIn(token: string | undefined): URL {
  const [, encoded = ""] = token?.split("k8s-aws-v1.") ?? [];
  expect(encoded).toMatch(/^[\w-]+$/);
  return new URL(Buffer.from(encoded, "base64url").toString());
}

describe("access to a cluster of EKS", () => {
  /**
   * Signatures of botocore 1.43.11 for the same credentials and time: SigV4QueryAuth of service sts, which `aws eks
   * get-token` uses.
   */
  it.each([
    ["long-lived keys", "", "fd2a3dc772ab23153edf0dc9eb59219d5aefde46a4b5f58daa782f0c145ca7b8"],
    ["keys of a role", SESSION, "85bac01d52ca0a6f8438bb180cec6ef5b47c7fae439413d91c4dbc301105bae0"],
  ])("signs as AWS's own command line, with %s", async (_, session, signature) => {
    vi.stubEnv("AWS_SESSION_TOKEN", session);
    const access = await eksAccess(CLUSTER, { now: () => AT });
    expect(access).toMatchObject({ server: new URL(CLUSTER.server), ca: PEM });
    const request = requestIn(access.token);
    expect(request.origin).toBe("https://sts.eu-west-1.amazonaws.com");
    expect(Object.fromEntries(request.searchParams)).toEqual({
      Action: "GetCallerIdentity",
      Version: "2011-06-15",
      "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
      "X-Amz-Credential": "AKIDEXAMPLE/20260101/eu-west-1/sts/aws4_request",
      "X-Amz-Date": "20260101T000000Z",
      "X-Amz-Expires": "60",
      "X-Amz-SignedHeaders": "host;x-k8s-aws-id",
      ...(session !== "" && { "X-Amz-Security-Token": session }),
      "X-Amz-Signature": signature,
    });
    expect(access.token).not.toContain(SECRET);
  });

  it("asks STS of China by its own name", async () => {
    const { token } = await eksAccess({ ...CLUSTER, region: "cn-north-1" });
    expect(requestIn(token).hostname).toBe("sts.cn-north-1.amazonaws.com.cn");
  });

  it("makes another token after ten minutes, and when the clock went back", async () => {
    let now = AT.getTime();
    const access = await eksAccess(CLUSTER, { now: () => new Date(now) });
    const tokenAfter = async (ms: number) => {
      now += ms;
      return (await access.renew?.())?.token;
    };
    expect(await tokenAfter(9 * MINUTE)).toBe(access.token);
    const second = await tokenAfter(2 * MINUTE);
    expect(second).not.toBe(access.token);
    expect(await tokenAfter(-60 * MINUTE)).not.toBe(second);
  });

  it("is named by variables, which a file overrides and KUBECONFIG contradicts", async () => {
    const env = {
      CAPSTAN_EKS_CLUSTER: CLUSTER.name,
      CAPSTAN_EKS_SERVER: CLUSTER.server,
      CAPSTAN_EKS_CA: CLUSTER.ca,
      AWS_REGION: CLUSTER.region,
    };
    expect((await loadKubeconfig({ env })).server.host).toBe(new URL(CLUSTER.server).host);
    const problems = {
      KUBECONFIG: [{ ...env, KUBECONFIG: "/x" }, "both name a management cluster"],
      CAPSTAN_EKS_SERVER: [{ ...env, CAPSTAN_EKS_SERVER: "" }, "CAPSTAN_EKS_SERVER is not; set it"],
      AWS_REGION: [{ ...env, AWS_REGION: undefined }, "AWS_REGION is not; set it"],
      http: [{ ...env, CAPSTAN_EKS_SERVER: "http://10.0.0.1" }, "CAPSTAN_EKS_SERVER: .*use https"],
      ca: [{ ...env, CAPSTAN_EKS_CA: "canary" }, "CAPSTAN_EKS_CA: .*not base64 of a PEM"],
    } as const;
    for (const [bad, text] of Object.values(problems)) {
      await expect(loadKubeconfig({ env: bad })).rejects.toThrow(new RegExp(text));
    }
    await expect(loadKubeconfig({ file: "/does-not-exist", env })).rejects.toThrow("/does-not-exist");
  });

  it("says what to do without credentials of AWS, and never shows some", async () => {
    const presigner = async () => ({
      presign: async () => {
        throw new Error(`no secret: ${SECRET} token=${SESSION}`);
      },
    });
    const refused = eksAccess(CLUSTER, { presigner });
    await expect(refused).rejects.toThrow(
      /^a token for the EKS cluster demo cannot be signed: .*a role of AWS$/,
    );
    await expect(refused).rejects.not.toThrow(SESSION);
  });
});
