// Labels of the protocols that range scans detect.
import type { FoundServiceProtocol } from "@strongroom/contract";

export const PROTOCOL_LABELS: Record<FoundServiceProtocol, string> = {
  ssh: "SSH",
  postgresql: "PostgreSQL",
  mysql: "MySQL or MariaDB",
  mssql: "SQL Server",
  mongodb: "MongoDB",
  redis: "Redis",
  ldap: "LDAP",
  winrm: "WinRM",
  rdp: "RDP",
  http: "HTTP",
  tls: "TLS",
  unknown: "Unknown",
};
