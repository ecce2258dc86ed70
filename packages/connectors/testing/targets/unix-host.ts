// A separate Linux host on loopback: sshd in a mount and UTS namespace, with its own accounts, homes and sudoers.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { unixUsersAvailable } from "./sshd.ts";
import type { Unavailable } from "./availability.ts";
import { firstExisting, freePort, startServer, temporaryFolder, untilListening } from "./server-process.ts";

export interface UnixHost {
  name: string;
  host: string;
  port: number;
  /** Uses sudo for every command without a password. */
  scanner: { username: string; password: string };
  stop(): Promise<void>;
}

export function unixHostAvailable(): Unavailable {
  if (unixUsersAvailable() !== null) return unixUsersAvailable();
  const made = spawnSync("unshare", ["--mount", "--uts", "--propagation", "private", "true"]);
  return made.status === 0 ? null : "this machine does not allow namespaces (unshare)";
}

/**
 * `setup` is a shell script that runs as root on the new host. It begins with the accounts that came with the system,
 * only root's sudo rules, no cron jobs and no units. It sees the rest of the machine as read-only.
 */
export async function startUnixHost(name: string, setup: string): Promise<UnixHost> {
  const folder = temporaryFolder(null);
  const port = await freePort();
  const password = randomBytes(12).toString("base64url");
  const script = [
    BARE(folder.path, name),
    `useradd --system --create-home --shell /bin/sh scanner; echo "scanner:$SCANNER_PASSWORD" | chpasswd; unset SCANNER_PASSWORD`,
    `echo 'scanner ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/scanner`,
    setup,
    `exec ${firstExisting(["/usr/sbin/sshd"]) ?? "sshd"} -D -e -f /dev/null -o Port=${port} -o ListenAddress=127.0.0.1 -o HostKey=${join(folder.path, "host_key")} -o UsePAM=yes -o PidFile=none -o UseDNS=no -o PrintLastLog=no`,
  ].join("\n");
  const server = startServer({
    command: "unshare",
    args: ["--mount", "--uts", "--propagation", "private", "bash", "-ec", script],
    env: { ...process.env, SCANNER_PASSWORD: password },
  });
  await server.line(/Server listening on/);
  await untilListening(port);
  return {
    name,
    host: "127.0.0.1",
    port,
    scanner: { username: "scanner", password },
    stop: async () => {
      await server.stop();
      folder.remove();
    },
  };
}

const BARE = (folder: string, name: string) => `
umask 022
mount -t tmpfs none '${folder}'
mkdir '${folder}/etc'
cp -a /etc/. '${folder}/etc/' 2>/dev/null || true
# Another test may have changed this machine's accounts during the copy.
rm -f '${folder}'/etc/{passwd,shadow,group,gshadow,subuid,subgid}.lock
mount --bind '${folder}/etc' /etc
for each in /home /root /var/log /var/spool /var/mail /usr/local/bin /run; do mount -t tmpfs -o mode=755 none "$each"; done
# Everything else is read-only, so that no setup can change this machine.
mount -o remount,bind,ro /
chmod 700 /root
mkdir -p /run/sshd /var/spool/cron/crontabs
touch /var/log/lastlog
hostname '${name}'
echo '127.0.0.1 localhost ${name}' > /etc/hosts
awk -F: '$3 < 1000 || $3 == 65534' /etc/passwd > /etc/passwd.new && mv /etc/passwd.new /etc/passwd
awk -F: -v OFS=: 'NR == FNR { known[$1] = 1; next } $1 in known' /etc/passwd /etc/shadow > /etc/shadow.new && chmod 640 /etc/shadow.new && chown root:shadow /etc/shadow.new && mv /etc/shadow.new /etc/shadow
awk -F: -v OFS=: '$3 < 1000 || $3 == 65534 { $4 = ""; print }' /etc/group > /etc/group.new && mv /etc/group.new /etc/group
rm -rf /etc/sudoers.d/* /etc/cron.d/* /etc/crontab /etc/systemd/system/* /etc/subuid* /etc/subgid* /etc/gshadow*
ssh-keygen -q -t ed25519 -N '' -f '${folder}/host_key'
`;
