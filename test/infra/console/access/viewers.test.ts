import { describe, expect, it } from "vitest";
import { createViewers } from "../../../../infra/console/access/viewers.ts";
import type { ResourceAttributes, Reviews } from "../../../../infra/worker/diagnostics/reviews.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import { virtualClock } from "../../../support/clock.ts";

const NAMESPACES = ["a", "b"];

interface Given {
  readonly actions?: boolean;
  readonly user?: string;
  readonly isOwnData?: () => Promise<boolean>;
}

function viewersWith(
  allows: (resource: ResourceAttributes) => boolean,
  { actions = true, user = "ann", isOwnData }: Given = {},
) {
  const asked: ResourceAttributes[] = [];
  const clock = virtualClock();
  const reviews: Reviews = {
    userOf: async () => ({ username: user }),
    mayGet: async () => false,
    may: async (_user, resource) => {
      asked.push(resource);
      return allows(resource);
    },
  };
  const namespaces = async () => NAMESPACES;
  const viewers = createViewers({ reviews, person: "me", actions, namespaces, isOwnData, clock });
  return { asked, clock, of: () => viewers.of({ by: "token", token: "t" }) };
}

describe("viewers", () => {
  it("asks once for all namespaces, then for each that holds a Cluster, and again after 60 s", async () => {
    const { of, asked, clock } = viewersWith(({ namespace }) => namespace === "b");
    expect((await of()).sight).toEqual(new Set(["b"]));
    expect(asked.map(({ namespace }) => namespace)).toEqual([undefined, "a", "b"]);
    await of();
    expect(asked.length).toBe(3);
    await clock.advance(60_000);
    await of();
    expect(asked.length).toBe(6);
  });

  it.each([
    [new KubeError({ class: "Transient", status: 0, reason: "NoAnswer", message: "away" }), /^start the API/],
    [
      new KubeError({ class: "Terminal", status: 403, reason: "Forbidden", message: "no" }),
      /auth-delegator$/,
    ],
  ])("shows nothing without an answer about rights, and says what helps: %s", async (error, next) => {
    const { of } = viewersWith(() => {
      throw error;
    });
    await expect(of()).rejects.toMatchObject({ body: { next: expect.stringMatching(next) } });
  });

  it("asks for each action as a role names it", async () => {
    const { of, asked } = viewersWith(() => true);
    const viewer = await of();
    asked.length = 0;
    await viewer.may("requeue", "a");
    await viewer.may("drop", "a");
    await viewer.may("pause", "machine-node");
    expect(asked).toEqual([
      {
        group: "capstan.dev",
        resource: "deadletters",
        subresource: "requeue",
        verb: "create",
        namespace: "a",
      },
      { group: "capstan.dev", resource: "deadletters", verb: "delete", namespace: "a" },
      {
        group: "capstan.dev",
        resource: "functions",
        subresource: "pause",
        verb: "update",
        name: "machine-node",
      },
    ]);
  });

  it("allow no action without --actions, whatever the API server allows", async () => {
    const viewer = await viewersWith(() => true, { actions: false }).of();
    expect(await viewer.may("pause", "machine-node")).toBe(false);
  });

  it("are refused while the data are those of another management cluster, within 60 s", async () => {
    let isOwn = true;
    const { of, clock } = viewersWith(() => true, { isOwnData: async () => isOwn });
    expect((await of()).sight).toBe("all");
    isOwn = false;
    await clock.advance(60_000);
    const message = "the queue of this console belongs to another management cluster";
    await expect(of()).rejects.toMatchObject({ body: { status: 503, message } });
    isOwn = true;
    expect((await of()).sight).toBe("all");
  });

  it("are known while the source is away, which cannot show the data of anyone else", async () => {
    const away = async () => Promise.reject(new Error("connect ECONNREFUSED"));
    expect((await viewersWith(() => true, { isOwnData: away }).of()).sight).toBe("all");
  });

  it("write a name from outside in one line of at most 200 characters", async () => {
    const { name } = await viewersWith(() => true, { user: `ann\n\u202e${"x".repeat(500)}` }).of();
    expect(name).toBe(`ann ${"x".repeat(196)}`);
  });
});
