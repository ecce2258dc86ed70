// The S3 part of the fake of AWS: lists of buckets and objects, and their contents. Does not prove: S3 itself, redirects to
// other regions, and who may read what beyond `denied`.
import { createHash } from "node:crypto";

export interface FakeBucket {
  objects: Map<string, { content: string; storageClass?: string }>;
  isPublic: boolean;
}

export interface FakeBuckets {
  byName: Map<string, FakeBucket>;
  /** What every request for is refused: `ListBuckets`, the name of a bucket, or a place such as `bucket/key`. */
  denied: Set<string>;
  /** Objects in one page of a list. */
  pageSize: number;
}

export interface BucketAnswer {
  status: number;
  body: string;
  headers?: Record<string, string>;
}

const refusal = (status: number, code: string): BucketAnswer => ({
  status,
  body: `<Error><Code>${code}</Code><Message>no</Message></Error>`,
});

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const tagOf = (content: string) => `"${createHash("md5").update(content).digest("hex")}"`;
const AT = "2026-03-04T05:06:07.000Z";

export function answerBuckets({ byName, denied, pageSize }: FakeBuckets, method: string, url: URL): BucketAnswer {
  const [, name = "", ...rest] = url.pathname.split("/");
  const key = decodeURIComponent(rest.join("/"));
  if (name === "") {
    if (denied.has("ListBuckets")) return refusal(403, "AccessDenied");
    const buckets = [...byName.keys()].map((each) => `<Bucket><Name>${each}</Name></Bucket>`);
    return {
      status: 200,
      body: `<ListAllMyBucketsResult><Buckets>${buckets.join("")}</Buckets></ListAllMyBucketsResult>`,
    };
  }
  const bucket = byName.get(name);
  if (bucket === undefined) return refusal(404, "NoSuchBucket");
  if (denied.has(name)) return refusal(403, "AccessDenied");
  if (url.searchParams.has("policyStatus"))
    return { status: 200, body: `<PolicyStatus><IsPublic>${bucket.isPublic}</IsPublic></PolicyStatus>` };
  if (key === "") return page(bucket, url.searchParams.get("continuation-token") ?? "", pageSize);
  if (denied.has(`${name}/${key}`)) return refusal(403, "AccessDenied");
  const object = bucket.objects.get(key);
  if (object === undefined) return refusal(404, "NoSuchKey");
  const { content } = object;
  const headers = { etag: tagOf(content), "last-modified": new Date(AT).toUTCString() };
  if (method === "HEAD")
    return { status: 200, body: "", headers: { ...headers, "content-length": String(Buffer.byteLength(content)) } };
  return { status: 200, body: content, headers };
}

function page({ objects }: FakeBucket, after: string, size: number): BucketAnswer {
  const keys = [...objects.keys()].toSorted().filter((key) => key > after);
  const shown = keys.slice(0, size).map((key) => {
    const { content, storageClass = "STANDARD" } = objects.get(key)!;
    const facts = `<LastModified>${AT}</LastModified><ETag>${tagOf(content)}</ETag><Size>${Buffer.byteLength(content)}</Size>`;
    return `<Contents><Key>${escaped(key)}</Key>${facts}<StorageClass>${storageClass}</StorageClass></Contents>`;
  });
  const isCut = keys.length > size;
  const next = isCut ? `<NextContinuationToken>${escaped(keys[size - 1]!)}</NextContinuationToken>` : "";
  return {
    status: 200,
    body: `<ListBucketResult><IsTruncated>${isCut}</IsTruncated>${next}${shown.join("")}</ListBucketResult>`,
  };
}
