// A fake S3 service that checks the signature of every request (AWS Signature Version 4), its body and its checksum.
// It does not prove: TLS, roles and bucket policies, versions of objects (each has one, `null`), multipart uploads, the consistency
// and speed of a real service, or that another service supports conditional writes and object lock. As a process of its own
// (`node fake-s3.ts FOLDER PORT`), it can be stopped and killed: each object is a file.
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { link, mkdir, readFile, readdir, rm, unlink, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { join } from "node:path";
import type { AddressInfo } from "node:net";
import { crc32 } from "node:zlib";

export const FAKE_CREDENTIALS = { accessKeyId: "FAKEACCESSKEY", secretAccessKey: "a secret of the fake object store" };
export const FAKE_BUCKET = "recordings-of-tests";
export const FAKE_REGION = "eu-test-1";

const MOST_SKEW_MS = 15 * 60_000;

export interface FakeS3 {
  readonly endpoint: string;
  /** The status of every answer, such as 503; null answers normally. */
  failure: { status: number; code: string } | null;
  /** Stores the next object and then drops the connection without an answer. */
  losesNextAnswer: boolean;
  /** Keys in one page of a list. */
  pageSize: number;
  /** The keys of the stored objects, in order. */
  keys(): Promise<string[]>;
  /** The requests so far, as `PUT key`. */
  readonly requests: string[];
  bytesOf(key: string): Promise<Buffer>;
  replace(key: string, bytes: Buffer): Promise<void>;
  remove(key: string): Promise<void>;
  stop(): Promise<void>;
}

interface Answer {
  status: number;
  body?: string | Buffer;
}

const sha256 = (bytes: string | Buffer): string => createHash("sha256").update(bytes).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
const problem = (status: number, code: string): Answer => ({ status, body: `<Error><Code>${code}</Code></Error>` });
const fileOf = (key: string): string => Buffer.from(key).toString("base64url");
const keyOf = (file: string): string => Buffer.from(file, "base64url").toString();

export async function startFakeS3(folder: string, port = 0): Promise<FakeS3> {
  await mkdir(folder, { recursive: true });
  let writes = 0;

  const keys = async (): Promise<string[]> =>
    (await readdir(folder))
      .filter((file) => !file.includes("."))
      .map((file) => keyOf(file))
      .toSorted();

  async function put(key: string, body: Buffer, headers: IncomingMessage["headers"]): Promise<Answer> {
    const path = join(folder, fileOf(key));
    const draft = `${path}.draft${(writes += 1)}`;
    await writeFile(draft, body, { flush: true });
    try {
      if (headers["if-none-match"] !== "*") await unlink(path).catch(() => {});
      // Fails when the object exists, so of two writers one succeeds.
      await link(draft, path);
    } catch {
      return problem(412, "PreconditionFailed");
    } finally {
      await rm(draft);
    }
    const until = headers["x-amz-object-lock-retain-until-date"];
    if (until !== undefined)
      await writeFile(`${path}.lock`, `${headers["x-amz-object-lock-mode"] as string} ${until as string}`);
    return { status: 200 };
  }

  async function isLocked(key: string): Promise<boolean> {
    const lock = await readFile(join(folder, `${fileOf(key)}.lock`), "utf8").catch(() => null);
    return lock !== null && Date.parse(lock.split(" ")[1]!) > Date.now();
  }

  async function deleteAll(body: string): Promise<Answer> {
    const errors: string[] = [];
    for (const [, key = ""] of body.matchAll(/<Key>([^<]*)<\/Key>/g)) {
      if (await isLocked(key))
        errors.push(`<Error><Key>${key}</Key><Code>AccessDenied</Code><Message>locked</Message></Error>`);
      else for (const end of ["", ".lock"]) await rm(join(folder, fileOf(key) + end), { force: true });
    }
    return { status: 200, body: `<DeleteResult>${errors.join("")}</DeleteResult>` };
  }

  async function list(query: URLSearchParams): Promise<Answer> {
    const isVersions = query.has("versions");
    const after = query.get(isVersions ? "key-marker" : "continuation-token") ?? "";
    const all = (await keys()).filter((key) => key.startsWith(query.get("prefix") ?? "") && key > after);
    const page = all.slice(0, fake.pageSize);
    const name = isVersions ? "Version" : "Contents";
    const entries = page.map(
      (key) => `<${name}><Key>${key}</Key>${isVersions ? "<VersionId>null</VersionId>" : ""}</${name}>`,
    );
    const isCut = all.length > fake.pageSize;
    const next = isVersions ? "NextKeyMarker" : "NextContinuationToken";
    const more = isCut ? `<${next}>${page.at(-1)!}</${next}>` : "";
    const root = isVersions ? "ListVersionsResult" : "ListBucketResult";
    return { status: 200, body: `<${root}><IsTruncated>${isCut}</IsTruncated>${more}${entries.join("")}</${root}>` };
  }

  async function answer(request: IncomingMessage, url: URL, body: Buffer): Promise<Answer> {
    const refused = whyRefused(request, url, body);
    if (refused !== null) return problem(403, refused);
    const [, bucket, ...rest] = url.pathname.split("/");
    const key = decodeURIComponent(rest.join("/"));
    if (bucket !== FAKE_BUCKET) return problem(404, "NoSuchBucket");
    fake.requests.push(`${request.method} ${key}`);
    if (fake.failure !== null) return problem(fake.failure.status, fake.failure.code);
    if (request.method === "HEAD") return { status: 200 };
    if (request.method === "PUT") return await put(key, body, request.headers);
    if (request.method === "POST" && url.searchParams.has("delete")) return await deleteAll(body.toString());
    if (key === "") return await list(url.searchParams);
    const bytes = await readFile(join(folder, fileOf(key))).catch(() => null);
    return bytes === null ? problem(404, "NoSuchKey") : { status: 200, body: bytes };
  }

  const server: Server = createServer((request, response) => {
    void (async () => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      const { status, body = "" } = await answer(request, new URL(request.url!, "http://fake"), Buffer.concat(pieces));
      if (fake.losesNextAnswer && request.method === "PUT") {
        fake.losesNextAnswer = false;
        request.socket.destroy();
        return;
      }
      const type = Buffer.isBuffer(body) ? "application/octet-stream" : "application/xml";
      response.writeHead(status, { "content-type": type }).end(body);
    })().catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));

  const fake: FakeS3 = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failure: null,
    losesNextAnswer: false,
    pageSize: 1000,
    requests: [],
    keys,
    bytesOf: (key) => readFile(join(folder, fileOf(key))),
    replace: (key, bytes) => writeFile(join(folder, fileOf(key)), bytes),
    remove: (key) => rm(join(folder, fileOf(key))),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

/** The S3 error code, or null when the signature, the time, the body and its checksum are right. */
function whyRefused(request: IncomingMessage, url: URL, body: Buffer): string | null {
  const { headers, method = "" } = request;
  const pattern =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;
  const [, accessKey, day = "", region, signed = "", signature = ""] = pattern.exec(headers.authorization ?? "") ?? [];
  if (accessKey !== FAKE_CREDENTIALS.accessKeyId || region !== FAKE_REGION) return "InvalidAccessKeyId";
  const date = String(headers["x-amz-date"]);
  const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  if (!date.startsWith(day) || !(Math.abs(Date.now() - at) < MOST_SKEW_MS)) return "RequestTimeTooSkewed";
  const names = signed.split(";");
  const isMissing = (name: string) => (name === "host" || name.startsWith("x-amz-")) && !names.includes(name);
  if (Object.keys(headers).some(isMissing)) return "AccessDenied";
  const digest = String(headers["x-amz-content-sha256"]);
  if (digest !== sha256(body)) return "XAmzContentSHA256Mismatch";
  const checksum = headers["x-amz-checksum-crc32"];
  if (method === "PUT" && checksum === undefined) return "MissingChecksum";
  const expected = Buffer.alloc(4);
  expected.writeUInt32BE(crc32(body));
  if (checksum !== undefined && checksum !== expected.toString("base64")) return "BadDigest";
  const encoded = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const query = [...url.searchParams]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .toSorted()
    .join("&");
  const lines = names.map((name) => `${name}:${String(headers[name] ?? "").trim()}\n`).join("");
  const canonical = [method, url.pathname, query, lines, signed, digest].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", date, scope, sha256(canonical)].join("\n");
  const key = [region, "s3", "aws4_request"].reduce<Buffer>(
    (derived, part) => hmac(derived, part),
    hmac(`AWS4${FAKE_CREDENTIALS.secretAccessKey}`, day),
  );
  const wanted = hmac(key, text);
  return timingSafeEqual(wanted, Buffer.from(signature, "hex")) ? null : "SignatureDoesNotMatch";
}

if (import.meta.main) {
  const [folder, port] = process.argv.slice(2);
  await startFakeS3(folder!, Number(port));
  process.send?.("ready");
}
