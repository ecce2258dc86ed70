// Connectors: verify and change stored secrets on real systems.
export {
  MAX_LISTED_DEPENDENTS,
  MISCONFIGURED_CODES,
  REFUSED_CODES,
  REJECTED_CODES,
  UNREACHABLE_CODES,
  type ChangeResult,
  type Connector,
  type Facts,
  type Failure,
  type Finding,
  type HostKey,
  type IssueResult,
  type ListFinding,
  type ListResult,
  type ListedAccount,
  type ListedDependent,
  type ReadDatabasesResult,
  type ReadFilesResult,
  type ReconcileLogin,
  type MisconfiguredCode,
  type NetworkPolicy,
  type PasswordLimits,
  type RefusedCode,
  type RejectedCode,
  type Target,
  type TlsReason,
  type UnreachableCode,
  type VerifyContext,
  type VerifyResult,
} from "./connector.ts";
export {
  isFullControl,
  type Collected,
  type CollectedCloud,
  type ListedKey,
  type ListedPrivilege,
  type PrivilegeKind,
} from "./collected.ts";
export type {
  FileReader,
  FileSearch,
  FileVersion,
  FoundFile,
  ReadFile,
  ReadLimit,
  ReadProcess,
} from "./file-search.ts";
export type {
  DatabaseReader,
  DatabaseSearch,
  ReadColumn,
  ReadDefinition,
  ReadSettings,
  ReadTable,
} from "./database-search.ts";
export { applicationId } from "./azure/azure-access.ts";
export { describeConnector } from "./describe.ts";
export { destinationHost } from "./destination.ts";
export { nameOf } from "./dial.ts";
export { networkPolicy, permittedAddresses, type NetworkSettings } from "./network-policy.ts";
export { canChange, canSearch, connectorFor, connectors, isSupported, type ConnectorCriteria } from "./registry.ts";
export { FetchFailed, fetchWithin, type FetchContext } from "./fetch-within.ts";
export {
  lookUpPerson,
  signInToDirectory,
  type Directory,
  type DirectoryAnswer,
  type DirectoryPerson,
} from "./ldap/sign-in-to-directory.ts";
export { clientCertificateFault, post, sendNotice, sendText, type PostAnswer } from "./outbound.ts";
export { isPemCertificate } from "./tls-settings.ts";
export { isTelnet } from "./network-device/is-telnet.ts";
export { replaceInFile, type FileEdit } from "./linux/files/replace-in-file.ts";
export { writeFile, type FileToWrite } from "./linux/write-file.ts";
export { addressSet, rangeOutside } from "./range-scan/address-set.ts";
export { type FoundService } from "./range-scan/probe.ts";
export { scanRangeInWorker } from "./range-scan/scan-in-worker.ts";
export { type FoundHost } from "./range-scan/scan-range.ts";
