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

/**
 * Prints one line with JSON in base64: accounts (`a`), members of Administrators (`m`), services (`s`), scheduled tasks
 * (`t`) and application pools of IIS (`i`); null for a part that failed. A command line of cmd.exe has at most 8,191
 * characters.
 */
export const LIST_ACCOUNTS = wrapScript(`
  function T($v) { if ($v) { $v.ToUniversalTime().ToString('s') + 'Z' } }
  function P($w) { try { ,@(& $w) } catch { $null } }
  $r = @{ h = $env:COMPUTERNAME
    a = P { Get-LocalUser | select -First 10001 | % { @{ n = $_.Name; s = $_.SID.Value; e = $_.Enabled; p = T $_.PasswordLastSet; x = T $_.AccountExpires; l = T $_.LastLogon; q = T $_.PasswordExpires } } }
    m = P { Get-LocalGroupMember -SID S-1-5-32-544 | % { @{ n = $_.Name; c = $_.ObjectClass } } }
    s = P { Get-CimInstance Win32_Service | ? StartName | % { @{ n = $_.Name; u = $_.StartName; w = $_.StartMode } } }
    t = P { Get-ScheduledTask | ? { $_.Principal.UserId } | % { @{ n = $_.TaskPath + $_.TaskName; u = $_.Principal.UserId; w = [string]$_.State } } }
    i = P { Import-Module WebAdministration; ls IIS:\\AppPools | ? { $_.processModel.userName } | % { @{ n = $_.Name; u = $_.processModel.userName } } } }
  [Console]::Out.WriteLine('LIST ' + [Convert]::ToBase64String([Text.Encoding]::UTF8.GetBytes(($r | ConvertTo-Json -Depth 4 -Compress))))`);

export const POWERSHELL = "powershell.exe";

export const argumentsFor = (script: string): string =>
  `-NoProfile -NonInteractive -EncodedCommand ${Buffer.from(script, "utf16le").toString("base64")}`;

export const inputFor = (words: object): string => `${Buffer.from(JSON.stringify(words)).toString("base64")}\r\n`;

/** `OK`, an HRESULT as eight hexadecimal digits, or null when the script printed neither. */
export const verdictIn = (output: string): string | null =>
  /^STRONGROOM (OK|[0-9A-F]{8})\r?$/m.exec(output)?.[1] ?? null;
