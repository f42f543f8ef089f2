import { execFile } from "node:child_process";
import { appendFile, mkdir, readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../../infra/playground/apiserver/objects/kube-object.ts";
import { startApiServer } from "../../../../../infra/playground/apiserver/server.ts";
import type { Change } from "../../../../../infra/playground/apiserver/storage/collection.ts";
import { Journal } from "../../../../../infra/playground/apiserver/storage/journal.ts";
import { Storage } from "../../../../../infra/playground/apiserver/storage/storage.ts";
import { eventually } from "../../../../support/eventually.ts";
import { testFolder } from "../../../../support/test-folder.ts";
import { MERGE, startTestServer, type TestApiServer, WIDGETS_PATH, widget } from "../api-client.ts";

const create = (api: TestApiServer, name: string) => api.call("POST", WIDGETS_PATH, { body: widget(name) });
const list = async (api: TestApiServer) => (await api.call("GET", WIDGETS_PATH)).body;
const namesOf = (body: { items: { metadata: { name: string } }[] }) =>
  body.items.map(({ metadata }) => metadata.name);

const JOURNAL = "journal-1.jsonl";

const PODS = "/api/v1/namespaces/default/pods";

describe("a server with a data folder", () => {
  it("continues after a restart with the same objects and versions", async () => {
    const folder = testFolder("journal");
    await using first = await startTestServer({ data: folder });
    for (const name of ["a", "b", "c"]) await create(first, name);
    await first.call("DELETE", `${WIDGETS_PATH}/b`);
    await first.call("PATCH", `${WIDGETS_PATH}/a`, { type: MERGE, body: { spec: { size: 4 } } });
    await first.call("POST", PODS, {
      body: '{"metadata":{"name":"p"},"spec":{"terminationGracePeriodSeconds":9223372036854775807,"containers":[{"name":"c","image":"i"}]}}',
    });
    const before = await list(first);
    const system = await first.call("GET", "/api/v1/namespaces/kube-system");
    await first.server.stop();
    await using second = await startTestServer({ data: folder, withWidgets: false });
    expect(await list(second)).toEqual(before);
    expect((await second.call("GET", `${PODS}/p`)).text).toContain(
      '"terminationGracePeriodSeconds":9223372036854775807,',
    );
    expect((await second.call("GET", "/api/v1/namespaces/kube-system")).body).toEqual(system.body);
    const { body: made } = await create(second, "d");
    expect(Number(made.metadata.resourceVersion)).toBe(Number(before.metadata.resourceVersion) + 1);
  });

  it("lets watches resume where they were", async () => {
    const folder = testFolder("journal");
    await using first = await startTestServer({ data: folder });
    await create(first, "a");
    const { resourceVersion } = (await list(first)).metadata;
    await create(first, "b");
    await first.call("DELETE", `${WIDGETS_PATH}/a`);
    await first.server.stop();
    await using second = await startTestServer({ data: folder, withWidgets: false });
    await using watch = await second.watch(`${WIDGETS_PATH}?watch=1&resourceVersion=${resourceVersion}`);
    expect((await watch.take(2)).map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
      "ADDED b",
      "DELETED a",
    ]);
  });

  it("finishes what it had begun: collections of owners, namespaces and kinds", async () => {
    const folder = testFolder("journal");
    await using first = await startTestServer({ data: folder, controllers: false });
    const { body: owner } = await create(first, "owner");
    const reference = { apiVersion: "test.capstan.dev/v1", kind: "Widget", name: "owner" };
    const ownerReferences = [{ ...reference, uid: owner.metadata.uid }];
    await first.call("POST", WIDGETS_PATH, { body: widget("left", {}, { ownerReferences }) });
    await first.call("DELETE", `${WIDGETS_PATH}/owner`);
    await first.server.stop();
    await using second = await startTestServer({ data: folder, withWidgets: false });
    await eventually(async () => (await second.call("GET", `${WIDGETS_PATH}/left`)).code === 404, {
      withinMs: 5_000,
    });
  });

  it("cuts off a last line that was not written to its end", async () => {
    const folder = testFolder("journal");
    const file = join(folder, JOURNAL);
    await using first = await startTestServer({ data: folder });
    await create(first, "a");
    await create(first, "b");
    await first.server.stop();
    const { size } = await stat(file);
    await truncate(file, size - 7);
    await using second = await startTestServer({ data: folder, withWidgets: false });
    expect(namesOf(await list(second))).toEqual(["a"]);
    await create(second, "c");
    await second.server.stop();
    await using third = await startTestServer({ data: folder, withWidgets: false });
    expect(namesOf(await list(third))).toEqual(["a", "c"]);
  });

  it("cuts off a tail of anything else", async () => {
    const folder = testFolder("journal");
    await using first = await startTestServer({ data: folder });
    await create(first, "a");
    await first.server.stop();
    await appendFile(join(folder, JOURNAL), Buffer.from([0, 0, 255, 10, 0]));
    await using second = await startTestServer({ data: folder, withWidgets: false });
    expect(namesOf(await list(second))).toEqual(["a"]);
  });

  it("does not start on damage in the middle", async () => {
    const folder = testFolder("journal");
    await using first = await startTestServer({ data: folder });
    await first.server.restart();
    await create(first, "a");
    await first.server.stop();
    const snapshot = join(folder, "snapshot.jsonl");
    const text = await readFile(snapshot, "utf8");
    await writeFile(snapshot, text.replace("kube-public", "kube-PUBLIC"));
    await expect(startApiServer({ name: "x", data: folder })).rejects.toThrow(
      /snapshot\.jsonl is damaged at line \d+ \(byte \d+\), .* restore \S+ from a copy, or move it away/,
    );
    await writeFile(snapshot, text);
    await using second = await startTestServer({ data: folder, withWidgets: false });
    expect(namesOf(await list(second))).toEqual(["a"]);
  });

  it("has its folder for itself, and for its owner only", async () => {
    const folder = testFolder("journal");
    const data = join(folder, "deeper", "data");
    await using first = await startTestServer({ data });
    await expect(startApiServer({ name: "x", data })).rejects.toThrow(
      `${data} is in use by process ${process.pid}: stop it, or choose another folder`,
    );
    expect((await stat(data)).mode & 0o777).toBe(0o700);
    expect((await stat(join(data, JOURNAL))).mode & 0o777).toBe(0o600);
    await first.server.stop();
    await writeFile(join(data, "lock"), `${process.pid} 1`);
    await using second = await startTestServer({ data, withWidgets: false });
    expect((await list(second)).items).toEqual([]);
  });
});

describe("a server on a full disk", () => {
  it.runIf(process.platform === "linux")(
    "C14: refuses a write with the reason and what to do, and loses none that it acknowledged before or after",
    async () => {
      const folder = testFolder("journal");
      const script = join(import.meta.dirname, "full-disk-process.ts");
      // In units of 1,024 bytes, for what this shell starts.
      const command = `ulimit -S -f 32; exec "$0" "$@"`;
      const { stdout } = await promisify(execFile)("bash", ["-c", command, process.execPath, script, folder]);
      const answers = JSON.parse(stdout) as { name: string; code: number; message?: string }[];
      const refused = answers.filter(({ code }) => code !== 201);
      expect(refused.map(({ code }) => code)).toEqual([500, 500]);
      expect(refused[0]?.message).toBe(
        `Internal error occurred: ${join(folder, JOURNAL)} cannot be written (EFBIG: file too large): the change is not stored; free space on its disk or see to it, and try again`,
      );
      expect(answers.slice(-3).map(({ code }) => code)).toEqual([201, 201, 201]);
      await using again = await startTestServer({ data: folder, withWidgets: false });
      const { body } = await again.call("GET", "/api/v1/namespaces/default/configmaps");
      const acknowledged = answers.filter(({ code }) => code === 201).map(({ name }) => name);
      expect(namesOf(body)).toEqual(acknowledged.toSorted((a, b) => (a < b ? -1 : 1)));
    },
  );
});

/** A ConfigMap of about a kilobyte. */
function configMap(name: string, turn: number): KubeObject {
  const metadata = {
    name,
    namespace: "default",
    uid: `uid-${name}`,
    resourceVersion: "",
    creationTimestamp: "",
  };
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata,
    data: { turn: `${turn}`, filler: "x".repeat(1_000) },
  };
}

function small(name: string): KubeObject {
  return { ...configMap(name, 1), data: {} };
}

describe("a journal", () => {
  it("becomes a snapshot when it is large, whatever is written meanwhile", async () => {
    const folder = testFolder("journal");
    const journal = new Journal(folder, 10_000);
    for (let turn = 0; turn < 500; turn++) {
      journal.storage.put("/configmaps", configMap(`c${turn % 7}`, turn));
      if (turn % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const version = journal.storage.version;
    await journal.close();
    const files = await readdir(folder);
    expect(files).toContain("snapshot.jsonl");
    expect(files).not.toContain(JOURNAL);
    const again = new Journal(folder);
    expect(again.storage.version).toBe(version);
    const turns = [...again.storage.collection("/configmaps").values()].map((object) => object["data"]);
    expect(turns).toHaveLength(7);
    expect(turns.map((data) => Number((data as { turn: string }).turn)).toSorted((a, b) => a - b)).toEqual([
      493, 494, 495, 496, 497, 498, 499,
    ]);
    await again.close();
  });

  it("knows which uids are gone", async () => {
    const folder = testFolder("journal");
    const journal = new Journal(folder);
    for (const name of ["a", "b"]) journal.storage.put("/configmaps", configMap(name, 1));
    journal.storage.remove("/configmaps", configMap("a", 1));
    await journal.close();
    const again = new Journal(folder);
    expect(again.storage.locate("uid-a")).toBeUndefined();
    expect(again.storage.locate("uid-b")?.key).toBe("default/b");
    await again.close();
  });

  it("keeps a change from being stored when it cannot be written", async () => {
    const folder = testFolder("journal");
    const journal = new Journal(folder);
    const { storage } = journal;
    storage.put("/configmaps", configMap("a", 1));
    storage.recordIn({
      record: (_: string, change: Change) => {
        throw new Error(`no space left for ${change.key}`);
      },
    });
    expect(() => storage.put("/configmaps", configMap("b", 1))).toThrow("no space left");
    expect(storage.collection("/configmaps").size).toBe(1);
    expect(storage.version).toBe(2);
    await journal.close();
  });

  /** A folder with three changes; returns its journal's bytes and where each line ends. */
  async function withThree(folder: string) {
    const journal = new Journal(folder);
    for (const name of ["a", "b", "c"]) journal.storage.put("/configmaps", small(name));
    await journal.close();
    const bytes = await readFile(join(folder, JOURNAL));
    const ends = [...bytes.entries()].filter(([, byte]) => byte === 10).map(([index]) => index + 1);
    return { bytes, ends, file: join(folder, JOURNAL) };
  }

  /** Opens the folder, writes one more, and opens it once more. */
  async function namesAfterOneMore(folder: string): Promise<string[]> {
    const journal = new Journal(folder);
    journal.storage.put("/configmaps", small("z"));
    await journal.close();
    const again = new Journal(folder);
    const names = [...again.storage.collection("/configmaps").values()].map(({ metadata }) => metadata.name);
    await again.close();
    return names;
  }

  it("C14: cut at any byte of its last two lines, continues after the last whole one", async () => {
    const folder = testFolder("journal");
    const { bytes, ends, file } = await withThree(folder);
    for (let length = ends[0] ?? 0; length <= bytes.length; length++) {
      await writeFile(file, bytes.subarray(0, length));
      const whole = ends.filter((end) => end <= length).length;
      expect([length, await namesAfterOneMore(folder)]).toEqual([length, [..."abc".slice(0, whole), "z"]]);
    }
  });

  it("C14: with a half-written line in front of later ones, as older versions left it, has them all", async () => {
    const folder = testFolder("journal");
    const { bytes, ends, file } = await withThree(folder);
    const [first = 0, second = 0] = ends;
    for (const torn of [
      bytes.subarray(first, first + 40),
      Buffer.from("{}"),
      bytes.subarray(first, second - 1),
    ]) {
      await writeFile(file, Buffer.concat([bytes.subarray(0, first), torn, bytes.subarray(first)]));
      expect(await namesAfterOneMore(folder)).toEqual(["a", "b", "c", "z"]);
    }
  });

  it("C14: does not start when a change is missing before others, and names the file, the line and what to do", async () => {
    const folder = testFolder("journal");
    const { bytes, ends, file } = await withThree(folder);
    for (const [line, start] of [0, ...ends].slice(0, 2).entries()) {
      const damaged = Buffer.from(bytes);
      damaged.write("X", start + 30);
      await writeFile(file, damaged);
      expect(() => new Journal(folder)).toThrow(
        `${file} is damaged at line ${line + 1} (byte ${start}), and changes that were acknowledged are missing: restore ${folder} from a copy, or move it away to start with an empty server`,
      );
      expect(await readFile(file)).toEqual(damaged);
    }
  });

  it("C14: keeps everything in its journals when a snapshot cannot be written", async () => {
    const folder = testFolder("journal");
    await mkdir(join(folder, "snapshot.jsonl.new"));
    const journal = new Journal(folder, 1_000);
    for (const name of "abcdefghij") {
      journal.storage.put("/configmaps", configMap(name, 1));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await expect(journal.replace(new Storage(1))).rejects.toThrow();
    journal.storage.put("/configmaps", configMap("k", 1));
    await journal.close();
    expect((await readdir(folder)).includes("snapshot.jsonl")).toBe(false);
    expect(await namesAfterOneMore(folder)).toEqual([..."abcdefghijk", "z"]);
  });
});
