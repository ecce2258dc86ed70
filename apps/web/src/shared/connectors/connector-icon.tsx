// The icon of a connector.
import {
  IconBrandWindows,
  IconCertificate,
  IconCloud,
  IconDatabase,
  IconFolders,
  IconKey,
  IconNetwork,
  IconStack2,
  IconTerminal2,
  IconWorld,
  type Icon,
} from "@tabler/icons-react";
import type { ConnectorIcon as IconName } from "@strongroom/contract";
import classes from "./connector-icon.module.css";

const ICONS: Record<IconName, Icon> = {
  terminal: IconTerminal2,
  database: IconDatabase,
  directory: IconFolders,
  windows: IconBrandWindows,
  network: IconNetwork,
  queue: IconStack2,
  web: IconWorld,
  cloud: IconCloud,
  certificate: IconCertificate,
  key: IconKey,
};

export function ConnectorIcon({ name }: { name: IconName }) {
  const NamedIcon = ICONS[name];
  return <NamedIcon size={16} stroke={1.6} aria-hidden />;
}

/** An option of a list. Options without an icon align with the others. */
export function ConnectorOption({ icon, label }: { icon: IconName | undefined; label: string }) {
  return (
    <span className={classes.option}>
      {icon === undefined ? <span className={classes.noIcon} /> : <ConnectorIcon name={icon} />}
      {label}
    </span>
  );
}
