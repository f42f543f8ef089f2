import { messageOf, TerminalError } from "../../../shared/function/errors.ts";
import { maskText } from "../../../shared/redaction/redact.ts";
import { pem, serverUrl } from "./kubeconfig-entries.ts";
import { checkServer, type ServerAccess } from "./server-access.ts";

/** A cluster of Amazon EKS. */
export interface EksCluster {
  readonly name: string;
  /** `https://….eks.amazonaws.com`, as `aws eks describe-cluster` gives it. */
  readonly server: string;
  /** base64 of its authority in PEM. */
  readonly ca: string;
  readonly region: string;
}

/** EKS takes a token for 15 minutes from its signature. */
const TOKEN_MS = 10 * 60_000;
/** STS takes the signed request for so long; EKS allows no more. */
const EXPIRES_SECONDS = 60;
const CLUSTER_HEADER = "x-k8s-aws-id";

/** Signs a request by its query, with the AWS credentials of this process. */
interface Presigner {
  presign(request: SignedRequest, options: PresignOptions): Promise<SignedRequest>;
}

interface SignedRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
}

interface PresignOptions {
  readonly expiresIn: number;
  readonly signingService: string;
  readonly signingRegion: string;
  readonly signingDate: Date;
  readonly unhoistableHeaders: Set<string>;
}

/**
 * Returns access to a cluster of EKS by the AWS credentials of this process: those of a role of Lambda, of a container or
 * of the environment. Its token is renewed every ten minutes. Throws TerminalError `InvalidKubeconfig` that names the
 * variable, never a credential.
 */
export async function eksAccess(
  cluster: EksCluster,
  { presigner = awsPresigner, now = () => new Date() }: EksMeans = {},
): Promise<ServerAccess> {
  const server = named("CAPSTAN_EKS_SERVER", () => serverUrl(cluster.server));
  const ca = named("CAPSTAN_EKS_CA", () => pem(cluster.ca, "CAPSTAN_EKS_CA"));
  named("CAPSTAN_EKS_SERVER", () => checkServer(server, undefined));
  const make = async () => {
    const madeAt = now();
    const token = await eksToken(cluster, await presigner(cluster.region), madeAt);
    return { madeAt, access: { server, ca, token, renew } };
  };
  const renew = async (): Promise<ServerAccess> => {
    const ageMs = now().getTime() - made.madeAt.getTime();
    // Made by a clock that has been set back since: its age is not known.
    if (ageMs < 0 || ageMs >= TOKEN_MS) made = await make();
    return made.access;
  };
  let made = await make();
  return made.access;
}

interface EksMeans {
  readonly presigner?: (region: string) => Promise<Presigner>;
  readonly now?: () => Date;
}

/**
 * Returns a token for a cluster: a signed request to STS which proves the role that has signed it, for this cluster only.
 * Source: https://github.com/kubernetes-sigs/aws-iam-authenticator#api-authorization-from-outside-a-cluster
 */
async function eksToken(
  { name, region }: Pick<EksCluster, "name" | "region">,
  presigner: Presigner,
  at: Date,
): Promise<string> {
  const hostname = `sts.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
  const request: SignedRequest = {
    method: "GET",
    protocol: "https:",
    hostname,
    path: "/",
    query: { Action: "GetCallerIdentity", Version: "2011-06-15" },
    headers: { host: hostname, [CLUSTER_HEADER]: name },
  };
  const signing = { signingService: "sts", signingRegion: region, signingDate: at };
  const { query = {} } = await presigner
    .presign(request, {
      ...signing,
      expiresIn: EXPIRES_SECONDS,
      unhoistableHeaders: new Set([CLUSTER_HEADER]),
    })
    .catch((error: unknown) => {
      const why = maskText(messageOf(error));
      throw invalid(
        `a token for the EKS cluster ${name} cannot be signed: ${why}; give this process a role of AWS`,
      );
    });
  const parameters = Object.entries(query).map(
    ([key, value]) => `${key}=${encodeURIComponent(String(value))}`,
  );
  return `k8s-aws-v1.${Buffer.from(`https://${hostname}/?${parameters.join("&")}`).toString("base64url")}`;
}

/** Returns the signer of the AWS SDK, which the queue on SQS loads as well. */
async function awsPresigner(region: string): Promise<Presigner> {
  const { SQS } = await import("@aws-sdk/client-sqs");
  const { config } = new SQS({ region });
  const signer = await config.signer({
    name: "sigv4",
    signingName: "sts",
    signingRegion: region,
    properties: {},
  });
  if (!isPresigner(signer)) throw new Error("bug: the signer of the AWS SDK signs no queries");
  return signer;
}

function isPresigner(signer: object): signer is Presigner {
  return "presign" in signer && typeof signer.presign === "function";
}

/** Names the variable in front of what is wrong with it. */
function named<T>(variable: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw invalid(`${variable}: ${messageOf(error)}`);
  }
}

function invalid(message: string): TerminalError {
  return new TerminalError("InvalidKubeconfig", message);
}
