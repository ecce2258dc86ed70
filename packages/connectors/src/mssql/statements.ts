// Transact-SQL statements with names and passwords, and the values that SQL Server accepts.

const MAX_LENGTH = 128;

/** Login names and passwords: 1 to 128 UTF-16 units without NUL. */
export function isAcceptedText(text: string): boolean {
  return text !== "" && text.length <= MAX_LENGTH && !text.includes("\0") && text.isWellFormed();
}

/** A delimited identifier: only the closing bracket needs escaping. */
export const quotedName = (name: string): string => `[${name.replaceAll("]", "]]")}]`;

/** A Unicode string constant: only the apostrophe needs escaping. */
export const quotedText = (text: string): string => `N'${text.replaceAll("'", "''")}'`;

/** `old` is given for a login's own password: no permission is needed then. */
export function alterLogin(name: string, candidate: string, old: string | null): string {
  const proof = old === null ? "" : ` OLD_PASSWORD = ${quotedText(old)}`;
  return `ALTER LOGIN ${quotedName(name)} WITH PASSWORD = ${quotedText(candidate)}${proof}`;
}

/**
 * One row of text columns: whether the caller can change logins, whether it is a full administrator, whether the login
 * exists, and whether that login is an administrator.
 */
export const rightsOver = (name: string): string =>
  `SELECT CAST(HAS_PERMS_BY_NAME(NULL, NULL, 'ALTER ANY LOGIN') AS nvarchar(10)) AS may,
 CAST(HAS_PERMS_BY_NAME(NULL, NULL, 'CONTROL SERVER') AS nvarchar(10)) AS controls,
 CAST(SUSER_ID(${quotedText(name)}) AS nvarchar(10)) AS id,
 CAST(IS_SRVROLEMEMBER('sysadmin', ${quotedText(name)}) AS nvarchar(10)) AS sysadmin`;

/** With one of these permissions, a login can grant itself all others. */
export const ESCALATING: readonly string[] = ["CONTROL SERVER", "ALTER ANY LOGIN", "IMPERSONATE ANY LOGIN"];

export const LOGINS = (limit: number): string =>
  `SELECT TOP (${limit}) CAST(name AS nvarchar(128)) AS name, CAST(is_disabled AS nvarchar(10)) AS disabled,
 CAST(LOGINPROPERTY(name, 'IsLocked') AS nvarchar(10)) AS locked,
 CAST(IS_SRVROLEMEMBER('sysadmin', name) AS nvarchar(10)) AS sysadmin,
 CAST(IS_SRVROLEMEMBER('securityadmin', name) AS nvarchar(10)) AS securityadmin,
 CAST(STUFF((SELECT ',' + p.permission_name FROM sys.server_permissions p
  WHERE p.grantee_principal_id = l.principal_id AND p.state IN ('G', 'W')
  AND p.permission_name IN (${ESCALATING.map((right) => `'${right}'`).join(", ")}) FOR XML PATH('')), 1, 1, '') AS nvarchar(200)) AS rights,
 CAST(LOGINPROPERTY(name, 'PasswordHashAlgorithm') AS nvarchar(10)) AS hash,
 CAST(LOGINPROPERTY(name, 'IsMustChange') AS nvarchar(10)) AS must_change,
 CAST(LOGINPROPERTY(name, 'DaysUntilExpiration') AS nvarchar(10)) AS days_left,
 CONVERT(nvarchar(30), DATEADD(minute, DATEDIFF(minute, GETDATE(), GETUTCDATE()),
 CAST(LOGINPROPERTY(name, 'PasswordLastSetTime') AS datetime)), 126) AS changed
 FROM sys.sql_logins l ORDER BY name`;

/** Mappings without a remote login use the caller's login. */
export const LINKED_SERVERS = (limit: number): string =>
  `SELECT TOP (${limit}) CAST(s.name AS nvarchar(128)) AS name, CAST(s.data_source AS nvarchar(512)) AS source,
 CAST(l.remote_name AS nvarchar(128)) AS login
 FROM sys.servers s JOIN sys.linked_logins l ON l.server_id = s.server_id
 WHERE s.is_linked = 1 AND l.remote_name IS NOT NULL ORDER BY s.name`;
