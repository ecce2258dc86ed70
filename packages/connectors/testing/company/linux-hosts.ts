// The twelve Linux hosts of the company, with their planted facts.
import { also, authorized, privateKey, sudoers, unit, user } from "./plan.ts";
import type { KeyPair, PlannedHost } from "./plan.ts";

export interface CompanyKeys {
  deploy: KeyPair;
  admin: KeyPair;
  backup: KeyPair;
  laptop: KeyPair;
}

export function linuxHosts({ deploy, admin, backup, laptop }: CompanyKeys): PlannedHost[] {
  return [
    {
      name: "web1",
      planted: [
        user("alice", { groups: ["ops"] }),
        user("bob"),
        user("deploy", { password: "locked" }),
        user("webapp", { password: "locked", shell: "/usr/sbin/nologin" }),
        authorized("deploy", deploy),
        sudoers("ops", "%ops ALL=(ALL:ALL) NOPASSWD: ALL", ["alice sudo-all"]),
        unit("shop.service", "[Service]\nUser=webapp\nExecStart=/opt/shop/server --token=secret", [
          "webapp: service shop.service",
        ]),
      ],
    },
    {
      name: "web2",
      planted: [
        user("bob", { groups: ["wheel"] }),
        user("mallory", { groups: ["wheel"] }),
        user("carol"),
        user("deploy", { password: "locked" }),
        authorized("deploy", deploy),
        sudoers("admins", "User_Alias ADMINS = carol, %wheel, \\\n  !mallory\nADMINS ALL = (ALL) ALL", [
          "bob sudo-all with password",
          "carol sudo-all with password",
        ]),
      ],
    },
    {
      name: "web3",
      planted: [
        user("deploy", { password: "locked" }),
        user("erin"),
        user("frank"),
        authorized("deploy", deploy),
        sudoers(
          "web",
          "Cmnd_Alias WEB = /bin/systemctl restart nginx, /bin/systemctl reload nginx\ndeploy ALL = NOPASSWD: WEB\nerin ALL = NOPASSWD: /usr/bin/vim\nfrank ALL = NOPASSWD: NOEXEC: /usr/bin/less /var/log/syslog",
          ["deploy sudo-limited", "erin sudo-escape", "frank sudo-limited"],
        ),
      ],
    },
    {
      name: "db1",
      planted: [
        user("toor", { uid: 0, home: "/home/toor" }),
        user("backup-user", { password: "locked" }),
        authorized("toor", admin, { home: "/home/toor" }),
        also(
          `printf '17 3 * * * backup-user PASSWORD=secret /usr/local/bin/dump --all\\n' > /etc/cron.d/dump; chmod 644 /etc/cron.d/dump`,
          ["dependent of backup-user: cron-job /etc/cron.d/dump: /usr/local/bin/dump"],
        ),
      ],
    },
    {
      name: "db2",
      planted: [
        user("keeper", { groups: ["keyring"] }),
        user("grace", { groups: ["keyring"] }),
        user("heidi"),
        privateKey("keeper", deploy, {
          setup:
            "chgrp keyring /home/keeper /home/keeper/.ssh /home/keeper/.ssh/id_ed25519; chmod 750 /home/keeper /home/keeper/.ssh; chmod 640 /home/keeper/.ssh/id_ed25519",
          readers: ["keeper", "grace"],
        }),
      ],
    },
    {
      name: "ci1",
      planted: [
        user("runner", { groups: ["docker"] }),
        user("deploy", { password: "locked" }),
        user("builder"),
        also("", ["privilege of runner: root-group"]),
        sudoers("builder", "builder ALL = (deploy) NOPASSWD: ALL", ["builder sudo-as deploy"]),
        privateKey("deploy", backup),
      ],
    },
    {
      name: "bastion",
      planted: [
        user("ivan"),
        user("judy"),
        authorized("ivan", laptop, {
          options: 'from="192.0.2.0/24,198.51.100.7",no-pty,command="/bin/echo \\"a, b\\""',
        }),
        privateKey("judy", admin, { isEncrypted: true }),
      ],
    },
    {
      name: "mail1",
      planted: [
        user("kevin"),
        user("laura"),
        user("mike"),
        also(
          "mkdir -p /etc/sudo-more; printf 'laura ALL = ALL\\n' > /etc/sudo-more/laura; printf 'mike ALL = ALL\\n' > /etc/sudo-more/mike.off",
        ),
        sudoers("mail", "Host_Alias WEB = web1, web2\nkevin WEB = ALL\n@includedir /etc/sudo-more", [
          "laura sudo-all with password",
        ]),
      ],
    },
    {
      name: "old1",
      planted: [
        user("nina", { password: "locked" }),
        user("oscar", { password: "none" }),
        user("peggy"),
        also("chage -d 2019-04-01 peggy; chage -E 2020-01-01 nina", [
          "password of peggy changed on 2019-04-01",
          "nina expires on 2020-01-01",
        ]),
        authorized("oscar", backup),
      ],
    },
    {
      name: "app1",
      planted: [
        user("north", { password: "locked" }),
        user("south", { password: "locked" }),
        user("quinn"),
        unit("site@.service", "[Service]\nUser=%i\nExecStart=-/opt/site/run", [], false),
        also(
          "cd /etc/systemd/system; mkdir -p multi-user.target.wants; for each in north south; do ln -s /etc/systemd/system/site@.service multi-user.target.wants/site@$each.service; done; cd /",
          ["dependent of north: service site@north.service", "dependent of south: service site@south.service"],
        ),
        unit(
          "report.service",
          "[Service]\nUser=quinn\nExecStart=/opt/report",
          ["quinn: service report.service"],
          false,
        ),
        unit("report.timer", "[Timer]\nOnCalendar=daily", ["quinn: timer report.timer"]),
        also(
          "printf '# a comment\\nMAILTO=quinn\\n*/5 * * * * /opt/poll >/dev/null\\n@daily cd /tmp && /opt/clean\\n' > /var/spool/cron/crontabs/quinn; chmod 600 /var/spool/cron/crontabs/quinn",
          [
            "dependent of quinn: cron-job /var/spool/cron/crontabs/quinn: /opt/poll",
            "dependent of quinn: cron-job /var/spool/cron/crontabs/quinn: /tmp",
          ],
        ),
      ],
    },
    {
      name: "app2",
      planted: [
        user("rupert"),
        user("sybil", { groups: ["ops"] }),
        user("trent", { groups: ["ops"] }),
        sudoers(
          "app",
          "Defaults:rupert !authenticate\nrupert app2 = ALL\n%ops,!trent ALL = (root) /usr/bin/tail -f /var/log/syslog, !/usr/bin/su",
          ["rupert sudo-all", "sybil sudo-limited with password"],
        ),
      ],
    },
    {
      name: "nas1",
      planted: [
        user("victor"),
        user("walter", { uid: 1700 }),
        user("xena"),
        sudoers(
          "nas",
          "#1700 ALL = NOPASSWD: sudoedit /etc/sudoers\nvictor ALL = NOPASSWD: /usr/bin/rsync\nxena ALL = (root) NOPASSWD: ALL, !ALL",
          ["walter sudo-escape", "victor sudo-escape"],
        ),
        authorized("victor", deploy, { options: "restrict" }),
      ],
    },
  ];
}
