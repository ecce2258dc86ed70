// The icon of an account's system type.
import {
  IconAppWindow,
  IconBrandWindows,
  IconCloud,
  IconDatabase,
  IconNetwork,
  IconShieldHalf,
  IconTerminal2,
  IconWorld,
  type Icon,
} from "@tabler/icons-react";
import { isAccountDatabaseType, type SystemType } from "@strongroom/contract";

const ICONS: Partial<Record<SystemType, Icon>> = {
  Windows: IconBrandWindows,
  AWS: IconCloud,
  Azure: IconCloud,
  "Network Device": IconNetwork,
  "Security Appliance": IconShieldHalf,
  Application: IconAppWindow,
  Website: IconWorld,
};

export function AccountIcon({ type, size = 18 }: { type: SystemType; size?: number }) {
  const TypeIcon = isAccountDatabaseType(type) ? IconDatabase : (ICONS[type] ?? IconTerminal2);
  return <TypeIcon size={size} stroke={1.6} aria-hidden />;
}
