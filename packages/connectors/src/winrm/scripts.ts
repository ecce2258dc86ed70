// The PowerShell scripts that run on the target. They contain no secret and no name: both come through standard input, as JSON in base64.

/** Ends with a line `STRONGROOM OK` or `STRONGROOM` and the HRESULT of the error; other output is ignored. */
const wrapScript = (work: string) => `
$ErrorActionPreference = 'Stop'
try {
  $d = [Text.Encoding]::UTF8.GetString([Convert]::FromBase64String([Console]::In.ReadLine())) | ConvertFrom-Json
  ${work}
  [Console]::Out.WriteLine('STRONGROOM OK')
} catch {
  $e = $_.Exception
  while ($e.InnerException) { $e = $e.InnerException }
  [Console]::Out.WriteLine('STRONGROOM {0:X8}' -f $e.HResult)
}`;

const USER = "$u = [ADSI]('WinNT://' + $env:COMPUTERNAME + '/' + $d.name + ',user')";

/** Run as the account itself: Windows asks for the current password too. */
export const CHANGE_PASSWORD = wrapScript(
  `${USER}; $u.Invoke('ChangePassword', [object[]]@($d.old, $d.new)) | Out-Null`,
);

/** Run by an administrator. The account loses access to data encrypted with its old password (DPAPI, EFS). */
export const SET_PASSWORD = wrapScript(`${USER}; $u.Invoke('SetPassword', [object[]]@($d.new)) | Out-Null`);

/** Ends with 5 (access denied) without administrator rights, and with 2221 for a missing account. */
export const CHECK_RIGHT = wrapScript(`
  $me = [Security.Principal.WindowsPrincipal][Security.Principal.WindowsIdentity]::GetCurrent()
  if (-not $me.IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)) { throw [UnauthorizedAccessException]::new() }
  ${USER}; $u.psbase.RefreshCache()`);

export const POWERSHELL = "powershell.exe";

export const argumentsFor = (script: string): string =>
  `-NoProfile -NonInteractive -EncodedCommand ${Buffer.from(script, "utf16le").toString("base64")}`;

export const inputFor = (words: object): string => `${Buffer.from(JSON.stringify(words)).toString("base64")}\r\n`;

/** `OK`, an HRESULT as eight hexadecimal digits, or null when the script printed neither. */
export const verdictIn = (output: string): string | null =>
  /^STRONGROOM (OK|[0-9A-F]{8})\r?$/m.exec(output)?.[1] ?? null;
