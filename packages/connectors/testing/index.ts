// Real systems to verify against in tests and benchmarks. All listen on loopback, on free ports, and use temporary folders.
export {
  makeAuthority,
  makeSelfSigned,
  opensslAvailable,
  type Authority,
  type ServerCertificate,
} from "./certificates.ts";
export { logInBare, rotateBare, type BareLogin, type BareSystem } from "./bare-logins.ts";
export { aContext, aTarget } from "./factories.ts";
export { needs, type Unavailable } from "./targets/availability.ts";
export { startFakeAws, type FakeAws } from "./targets/fake-aws.ts";
export { AZURE_ROLES, startFakeAzure, type FakeAzure } from "./targets/fake-azure.ts";
export { startFakeGoogleCloud, type FakeGoogleCloud } from "./targets/fake-google-cloud.ts";
export { startFakeIos, type FakeIos } from "./targets/fake-ios.ts";
export { startFakeMongodb, type FakeMongodb } from "./targets/fake-mongodb.ts";
export { aDatabase as aMssqlDatabase } from "./targets/fake-mssql-catalog.ts";
export { startFakeMssql, type FakeMssql } from "./targets/fake-mssql.ts";
export { startFakeOracle, type FakeOracle } from "./targets/fake-oracle/fake-oracle.ts";
export { startFakeWinrm, type FakeWinrm } from "./targets/fake-winrm.ts";
export { startHostile, startTcp, type HostileServer, type Misbehaviour } from "./targets/hostile.ts";
export { mariadbAvailable, startMariadb, type MariadbServer } from "./targets/mariadb.ts";
export { openldapAvailable, startOpenldap, type OpenldapServer } from "./targets/openldap.ts";
export {
  postgresqlAvailable,
  startPostgresql,
  type PostgresqlServer,
  type PostgresqlSource,
} from "./targets/postgresql.ts";
export { pgbouncerAvailable, startPgbouncer, type Pgbouncer, type PoolMode } from "./targets/pgbouncer.ts";
export { rabbitmqAvailable, startRabbitmq, type RabbitmqServer } from "./targets/rabbitmq.ts";
export { redisAvailable, startRedis, type RedisServer } from "./targets/redis.ts";
export { rsyslogAvailable, startRsyslog, type RsyslogServer } from "./targets/rsyslog.ts";
export { sambaAdAvailable, startSambaAd, type SambaAd } from "./targets/samba-ad.ts";
export { sshdAvailable, startSshd, unixUsersAvailable, type Sshd, type SshdOptions } from "./targets/sshd.ts";
export { gitAvailable, startGitServer, type GitRepository, type GitServer } from "./targets/git-server.ts";
export { freePort } from "./targets/server-process.ts";
export { startTelnetd, telnetdAvailable, type Telnetd } from "./targets/telnetd.ts";
export { startTokenApi, type TokenApi } from "./targets/token-api.ts";
export { collectBare } from "./company/collect-bare.ts";
export { companyKeys, linuxHosts, scanHost, scoreOf } from "./company/company.ts";
export { setupOf, type Score } from "./company/compare.ts";
export { servers } from "./company/servers.ts";
export { startUnixHost, unixHostAvailable, type UnixHost } from "./targets/unix-host.ts";
export { type UnixUser, type UnixUserState } from "./targets/unix-user.ts";
export { FAULTS, startCuttingProxy, type Cut, type CuttingProxy, type Fault } from "./targets/cutting-proxy.ts";
