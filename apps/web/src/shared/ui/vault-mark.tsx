// The logo of Strongroom: a vault's arch with its keyhole, which turns while the app is busy.
import classes from "./vault-mark.module.css";

export interface VaultMarkProps {
  size?: number;
  isBusy?: boolean;
}

export function VaultMark({ size = 28, isBusy = false }: VaultMarkProps) {
  return (
    <svg className={classes.mark} width={size} height={size} viewBox="0 0 32 32" fill="none" aria-hidden="true">
      <path d="M5 28V14.5a11 11 0 0 1 22 0V28" stroke="currentColor" strokeWidth="2.4" strokeLinecap="round" />
      <path d="M3 28h26" stroke="currentColor" strokeWidth="2.4" strokeLinecap="round" />
      <g className={isBusy ? classes.turning : undefined}>
        <circle cx="16" cy="15.5" r="5.4" stroke="currentColor" strokeWidth="2" strokeDasharray="25.4 8.5" />
        <circle cx="16" cy="15.5" r="1.9" fill="currentColor" />
      </g>
      <path d="M16 21v3.2" stroke="currentColor" strokeWidth="2.4" strokeLinecap="round" />
    </svg>
  );
}
