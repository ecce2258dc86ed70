// A short label in one of the six tones, used by every badge.
import type { ReactNode } from "react";
import classes from "./tag.module.css";
import { toneStyle, type Tone } from "./tone.ts";

export interface TagProps {
  tone?: Tone;
  icon?: ReactNode;
  children: ReactNode;
  title?: string;
}

export function Tag({ tone = "neutral", icon, children, title }: TagProps) {
  return (
    <span className={classes.tag} style={toneStyle(tone)} title={title} data-tone={tone}>
      {icon}
      {children}
    </span>
  );
}
