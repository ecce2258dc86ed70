// Signs and sends calls to AWS services with the JSON protocol whose SDK clients are not installed.
import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import { SignatureV4 } from "@smithy/signature-v4";
import type { Attempt } from "../attempt.ts";
import type { AwsAccess } from "./access-key.ts";
import { sendOver } from "./session.ts";

export interface JsonCall {
  /** The name of the service in signatures and host names. */
  service: "secretsmanager" | "ssm";
  /** As in the header `x-amz-target`. */
  operation: string;
  region: string;
  body: Readonly<Record<string, unknown>>;
}

/** The parsed answer. Throws `NoAnswer`, or an error in the form of the SDK's errors (see `errorOf`). */
export async function callJson(access: AwsAccess, attempt: Attempt, call: JsonCall): Promise<Record<string, unknown>> {
  const { service, operation, region } = call;
  const url = new URL(access.endpointOf(service, region));
  const { id: accessKeyId, secret: secretAccessKey } = access.key;
  const signer = new SignatureV4({
    service,
    region,
    credentials: { accessKeyId, secretAccessKey },
    sha256: Sha256,
    applyChecksum: false,
  });
  const port = url.port === "" ? {} : { port: Number(url.port) };
  const signed = await signer.sign({
    method: "POST",
    protocol: "https:",
    hostname: url.hostname,
    ...port,
    path: "/",
    query: {},
    headers: { host: url.host, "content-type": "application/x-amz-json-1.1", "x-amz-target": operation },
    body: JSON.stringify(call.body),
  });
  const { statusCode, content } = await sendOver(signed, access, attempt);
  const answer = objectIn(content.toString("utf8"));
  if (statusCode === 200) return answer;
  const { __type: type } = answer;
  const code = (typeof type === "string" && /([A-Za-z]{1,64})$/.exec(type)?.[1]) || "UnknownError";
  throw Object.assign(new Error("AWS refused the call"), { name: code, $metadata: { httpStatusCode: statusCode } });
}

/** Empty for anything other than a JSON object. */
function objectIn(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed !== null && typeof parsed === "object" ? (parsed as Record<string, unknown>) : {};
  } catch {
    // The caller reports an answer without the expected fields.
    return {};
  }
}

/** The hash of `node:crypto` in the form that the signer expects. */
class Sha256 {
  #hash: Hash | Hmac;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", bytesOf(secret));
  }
  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(data));
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.#hash.digest()));
  }
  reset(): void {
    this.#hash = createHash("sha256");
  }
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === "string") return Buffer.from(data, "utf8");
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
