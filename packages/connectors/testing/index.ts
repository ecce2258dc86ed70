// Real systems to verify against in tests and benchmarks, all on loopback, at free ports, in temporary folders.
export {
  makeAuthority,
  makeSelfSigned,
  opensslAvailable,
  type Authority,
  type ServerCertificate,
} from "./certificates.ts";
export { logInBare, type BareLogin, type BareSystem } from "./bare-logins.ts";
export { aContext, aTarget } from "./factories.ts";
export { needs, type Unavailable } from "./targets/availability.ts";
export { startHostile, startTcp, type HostileServer, type Misbehaviour } from "./targets/hostile.ts";
export { mariadbAvailable, startMariadb, type MariadbServer } from "./targets/mariadb.ts";
export {
  postgresqlAvailable,
  startPostgresql,
  type PostgresqlServer,
  type PostgresqlSource,
} from "./targets/postgresql.ts";
export { sshdAvailable, startSshd, unixUsersAvailable, type Sshd } from "./targets/sshd.ts";
export { startTokenApi, type TokenApi } from "./targets/token-api.ts";
export { type UnixUser, type UnixUserState } from "./targets/unix-user.ts";
export { FAULTS, startCuttingProxy, type Cut, type CuttingProxy, type Fault } from "./targets/cutting-proxy.ts";
