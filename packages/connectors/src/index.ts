// Connectors: how a stored secret is proved on a real system.
export {
  MISCONFIGURED_CODES,
  REJECTED_CODES,
  UNREACHABLE_CODES,
  type Connector,
  type Facts,
  type Finding,
  type HostKey,
  type MisconfiguredCode,
  type RejectedCode,
  type Target,
  type TlsReason,
  type UnreachableCode,
  type VerifyContext,
  type VerifyResult,
} from "./connector.ts";
export { networkPolicy, type NetworkPolicy, type NetworkSettings } from "./network-policy.ts";
export { connectorFor, connectors, isSupported, type Kind } from "./registry.ts";
