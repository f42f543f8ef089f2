import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { capabilitiesOf, redisUrlOf } from "../../../../infra/queue/backends/open.ts";
import { openQueueSource } from "../../../../infra/queue/backends/queue-source.ts";
import { recordingLog } from "../../../support/recording-log.ts";
import { silentLog } from "../../../support/silent-log.ts";
import { testFolder } from "../../../support/test-folder.ts";
import { newAuthority } from "../../../support/tls-files.ts";

const URL_OF = (password: string, host = "redis.example") => `rediss://relay:${password}@${host}:6379`;
const SECRET = "hunter2";

let dir: string;
let queueFile: string;
let redisCa: string;
beforeAll(async () => {
  dir = testFolder("queue");
  queueFile = join(dir, "url");
  redisCa = join(dir, "ca.crt");
  await writeFile(redisCa, (await newAuthority()).cert);
});

describe("the file with the URL of the queue", () => {
  it.each([
    ["", "it is empty"],
    ["\n", "it is empty"],
    [`${URL_OF(SECRET)}\n${URL_OF(SECRET)}`, "it holds a line break or a blank"],
    [`\n${URL_OF(SECRET)}`, "it holds a line break or a blank"],
    [`${URL_OF(SECRET)}\n\n`, "it holds a line break or a blank"],
    [` ${URL_OF(SECRET)}`, "it holds a line break or a blank"],
    [`${URL_OF(SECRET)}\u0000`, "it holds a line break or a blank"],
    [SECRET, "it holds no queue"],
    [`http://${SECRET}@redis.example`, "it holds no queue"],
    [`rediss://${SECRET}@:x`, "the URL in it is not a URL"],
    [`sqs://eu-west-1?redes=${URL_OF(SECRET)}`, "it holds no queue"],
    ["memory", "the URL in it is memory"],
    [`redis://${SECRET}@redis.example`, "the URL in it is not loopback, so it needs TLS"],
    [`rediss://:${SECRET}@redis.example`, "the URL in it names no user"],
  ])("%j ends the start with its name and without its content", async (text, problem) => {
    await writeFile(queueFile, text);
    const open = () => openQueueSource({ queueFile }, silentLog);
    expect(open).toThrow(`${queueFile}: ${problem}`);
    expect(open).not.toThrow(SECRET);
  });

  it("is named when it is too long, missing or not a file", async () => {
    await writeFile(queueFile, URL_OF(SECRET.repeat(1_000)));
    expect(() => openQueueSource({ queueFile }, silentLog)).toThrow(
      `${queueFile}: it is larger than 4096 bytes`,
    );
    await rm(queueFile, { force: true });
    expect(() => openQueueSource({ queueFile }, silentLog)).toThrow(`${queueFile}: the file is missing`);
    expect(() => openQueueSource({ queueFile: dir }, silentLog)).toThrow(`${dir}: it is not a file`);
    const below = join(redisCa, "url");
    expect(() => openQueueSource({ queueFile: below }, silentLog)).toThrow(`${below}: a part of its path`);
  });

  it("may end with one line break, and name an SQS queue", async () => {
    await writeFile(queueFile, `${URL_OF("p%40ss")}\r\n`);
    expect(openQueueSource({ queueFile }, silentLog).url).toBe(URL_OF("p%40ss"));
    const sqs = `sqs://eu-west-1?redis=${encodeURIComponent(URL_OF("a"))}`;
    await writeFile(queueFile, sqs);
    const source = openQueueSource({ queueFile }, silentLog);
    expect([source.url, redisUrlOf(source.url)]).toEqual([sqs, URL_OF("a")]);
  });

  it("is read again for each connection; what cannot be used is said once, and the last one stays", async () => {
    await writeFile(queueFile, URL_OF("first"));
    const { log, lines } = recordingLog();
    const { newest } = openQueueSource({ queueFile, redisCa }, log);
    await writeFile(queueFile, URL_OF("second"));
    expect(newest?.().url).toBe(URL_OF("second"));
    for (const wrong of ["", "", URL_OF(SECRET, "elsewhere.example"), `sqs://r?redis=${URL_OF(SECRET)}`]) {
      await writeFile(queueFile, wrong);
      expect(newest?.().url).toBe(URL_OF("second"));
    }
    expect(lines.map(({ fields }) => fields)).toEqual([
      { error: expect.stringContaining(`${queueFile}: it is empty`) },
      { error: `${queueFile}: it names another server now; restart this process to use it` },
    ]);
    const other = (await newAuthority()).cert;
    await writeFile(queueFile, URL_OF("third"));
    await writeFile(redisCa, other);
    expect(newest?.()).toEqual({ url: URL_OF("third"), ca: other });
  });
});

describe("the authorities of Redis", () => {
  it("are those of a TLS server, and readable", async () => {
    expect(() => openQueueSource({ queue: "redis://127.0.0.1:1", redisCa }, silentLog)).toThrow(
      `${redisCa}: authorities are for a Redis with TLS; name it by rediss://HOST:PORT`,
    );
    await writeFile(queueFile, SECRET);
    expect(() => openQueueSource({ queue: URL_OF("a"), redisCa: queueFile }, silentLog)).toThrow(
      `${queueFile}: it holds no certificate that can be read; write it in PEM`,
    );
    expect(capabilitiesOf({ url: "memory" }).isShared).toBe(false);
  });
});
