// A stored access key, and the AWS endpoints where it is used.
import { badInput, cloudConnection } from "../cloud-api/cloud-connection.ts";
import type { Failure, Target } from "../connector.ts";
import type { TlsSettings } from "../tls-settings.ts";

export interface AccessKey {
  id: string;
  secret: string;
}

export interface AwsAccess {
  key: AccessKey;
  sts: { endpoint: string; region: string };
  iam: { endpoint: string; region: string };
  s3: { endpoint?: string; region: string; forcePathStyle?: boolean };
  /** The credential's own region. */
  region: string;
  /** The origin of a service in a region. */
  endpointOf: (service: string, region: string) => string;
  tls: TlsSettings;
}

/** Null when the value does not have the form of an AWS access key. */
export function parseAccessKey(value: string): AccessKey | null {
  try {
    const parsed: unknown = JSON.parse(value);
    if (parsed === null || typeof parsed !== "object") return null;
    const { access_key_id: id, secret_access_key: secret } = parsed as Record<string, unknown>;
    return isKeyId(id) && isKeySecret(secret) ? { id, secret } : null;
  } catch {
    // The value is not JSON: the caller reports the expected form.
    return null;
  }
}

export function accessKeyText({ id, secret }: AccessKey): string {
  return JSON.stringify({ access_key_id: id, secret_access_key: secret });
}

export function isKeyId(value: unknown): value is string {
  return typeof value === "string" && /^A[A-Z0-9]{15,127}$/.test(value);
}

export function isKeySecret(value: unknown): value is string {
  return typeof value === "string" && /^[A-Za-z0-9/+=]{20,128}$/.test(value);
}

export function awsAccessOf(target: Target, value: string): AwsAccess | { failure: Failure } {
  const { region = "us-east-1" } = target.additionalParams;
  const key = parseAccessKey(value);
  if (key === null)
    return badInput('The secret must be {"access_key_id": "AKIA…", "secret_access_key": "…"}, as issued by AWS.');
  if (typeof region !== "string" || !/^[a-z]{2}(-[a-z]{2,10}){1,2}-\d$/.test(region))
    return badInput('The additional parameter "region" must be the name of an AWS region, such as eu-central-1.');
  const connection = cloudConnection(target, "AWS");
  if ("failure" in connection) return connection;
  const { tls, endpoint } = connection;
  if (endpoint === null)
    return { key, tls, region, endpointOf: ownEndpointOf, ...ownEndpoints(region), s3: { region } };
  const access = { endpoint, region };
  return {
    key,
    tls,
    region,
    endpointOf: () => endpoint,
    sts: access,
    iam: access,
    s3: { ...access, forcePathStyle: true },
  };
}

const domainOf = (region: string) => (region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com");

const ownEndpointOf = (service: string, region: string) => `https://${service}.${region}.${domainOf(region)}`;

/** IAM has one endpoint per partition, STS one per region. */
function ownEndpoints(region: string): Pick<AwsAccess, "sts" | "iam"> {
  const domain = domainOf(region);
  const sts = { endpoint: ownEndpointOf("sts", region), region };
  if (region.startsWith("cn-"))
    return { sts, iam: { endpoint: `https://iam.cn-north-1.${domain}`, region: "cn-north-1" } };
  if (region.startsWith("us-gov-"))
    return { sts, iam: { endpoint: `https://iam.us-gov.${domain}`, region: "us-gov-west-1" } };
  return { sts, iam: { endpoint: `https://iam.${domain}`, region: "us-east-1" } };
}
