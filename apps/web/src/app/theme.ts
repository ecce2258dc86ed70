// The theme of Strongroom: petrol and brass on stone, dense, with WCAG AA contrast in light and dark mode.
import { Button, createTheme, type CSSVariablesResolver, type MantineColorsTuple } from "@mantine/core";

const petrol: MantineColorsTuple = [
  "#eef6f9",
  "#d9eaf1",
  "#b3d4e2",
  "#8cc0d5",
  "#5a9fba",
  "#3a86a4",
  "#286f8c",
  "#1d5a74",
  "#17495f",
  "#0f3244",
];
const brass: MantineColorsTuple = [
  "#fdf8ec",
  "#f9ecce",
  "#f2d89b",
  "#e9c063",
  "#d9a648",
  "#bf8a2b",
  "#9c6c18",
  "#7d5410",
  "#61400b",
  "#432c06",
];
const red: MantineColorsTuple = [
  "#fdf1f0",
  "#fadfdc",
  "#f5c2bd",
  "#f0a19a",
  "#df6f66",
  "#cf4c42",
  "#b9342a",
  "#a3261d",
  "#861d16",
  "#5f130e",
];
const green: MantineColorsTuple = [
  "#effaf3",
  "#dbf3e4",
  "#b3e4c7",
  "#85d1a6",
  "#55b983",
  "#329c66",
  "#22804f",
  "#196840",
  "#125032",
  "#0b3622",
];
const gray: MantineColorsTuple = [
  "#f6f7f9",
  "#eef0f3",
  "#e3e7eb",
  "#d1d7dd",
  "#b9c1ca",
  "#8d97a3",
  "#5c6671",
  "#48515c",
  "#313942",
  "#1b2128",
];
const dark: MantineColorsTuple = [
  "#dbe0e6",
  "#b6bfc9",
  "#98a3af",
  "#67727e",
  "#39424c",
  "#2b333c",
  "#1e252c",
  "#14191f",
  "#0f1318",
  "#0a0d11",
];

const FONT =
  "'Inter Variable', ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', Arial, sans-serif";
const MONO = "ui-monospace, SFMono-Regular, Menlo, 'Cascadia Mono', Consolas, 'Liberation Mono', monospace";

/** Overrides Mantine's light variant in dark mode, which is nearly black, with readable tones. */
const darkWashes = (washes: Record<string, readonly [string, string, string]>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(washes).flatMap(([color, [bg, hover, fg]]) => [
      [`--mantine-color-${color}-light`, bg],
      [`--mantine-color-${color}-light-hover`, hover],
      [`--mantine-color-${color}-light-color`, fg],
    ]),
  );

const closeButtonProps = { "aria-label": "Close" };

export const theme = createTheme({
  colors: { petrol, brass, yellow: brass, red, green, gray, dark },
  primaryColor: "petrol",
  primaryShade: { light: 7, dark: 6 },
  respectReducedMotion: true,
  fontFamily: FONT,
  fontFamilyMonospace: MONO,
  defaultRadius: "sm",
  radius: { xs: "0.1875rem", sm: "0.375rem", md: "0.5rem", lg: "0.75rem", xl: "1rem" },
  fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.125rem" },
  lineHeights: { xs: "1.4", sm: "1.45", md: "1.5", lg: "1.5", xl: "1.5" },
  headings: {
    fontWeight: "600",
    sizes: {
      h1: { fontSize: "1.5rem", lineHeight: "1.25" },
      h2: { fontSize: "1.125rem", lineHeight: "1.35" },
      h3: { fontSize: "0.9375rem", lineHeight: "1.4" },
      h4: { fontSize: "0.875rem", lineHeight: "1.4" },
    },
  },
  shadows: {
    xs: "0 1px 2px rgb(12 20 28 / 0.06)",
    sm: "0 1px 3px rgb(12 20 28 / 0.08), 0 1px 2px rgb(12 20 28 / 0.05)",
    md: "0 6px 16px -4px rgb(12 20 28 / 0.14), 0 2px 4px rgb(12 20 28 / 0.06)",
    lg: "0 14px 32px -8px rgb(12 20 28 / 0.2), 0 4px 8px rgb(12 20 28 / 0.06)",
    xl: "0 24px 56px -12px rgb(12 20 28 / 0.28)",
  },
  components: {
    Modal: { defaultProps: { closeButtonProps } },
    Drawer: { defaultProps: { closeButtonProps } },
    Notification: { defaultProps: { withBorder: true, closeButtonProps: { "aria-label": "Dismiss" } } },
    Alert: {
      defaultProps: { closeButtonLabel: "Dismiss" },
      styles: { message: { color: "var(--mantine-color-text)" } },
    },
    InputWrapper: { styles: { label: { marginBottom: "0.25rem" }, description: { marginBottom: "0.25rem" } } },
    PasswordInput: {
      defaultProps: { visibilityToggleButtonProps: { "aria-label": "Show or hide the password", c: "dimmed" } },
    },
    Select: { defaultProps: { selectFirstOptionOnChange: true } },
    Card: { defaultProps: { withBorder: true, radius: "md", padding: "md" } },
    Paper: { defaultProps: { radius: "md" } },
    Button: Button.extend({
      // Mantine's compact buttons of this size have larger text than its ordinary ones.
      vars: (_theme, { size }) => ({
        root: size === "compact-md" ? { "--button-fz": "var(--mantine-font-size-sm)" } : {},
      }),
    }),
    Badge: { defaultProps: { radius: "sm", variant: "light" } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
    ActionIcon: { defaultProps: { variant: "subtle", color: "gray" } },
  },
});

/** Status colours, each as background, text and border. */
const tones = (
  values: Record<"success" | "danger" | "caution" | "warning" | "info" | "neutral", readonly [string, string, string]>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([tone, [bg, fg, line]]) => [
      [`--tone-${tone}-bg`, bg],
      [`--tone-${tone}-fg`, fg],
      [`--tone-${tone}-line`, line],
    ]),
  );

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {
    "--rail-bg": "#10202a",
    "--rail-raised": "#1a303c",
    "--rail-line": "#243b48",
    "--rail-text": "#c3d2da",
    "--rail-muted": "#8fa6b2",
    "--rail-mark": "#d9a648",
  },
  light: {
    "--page-bg": "#f6f7f9",
    "--focus": "#1d5a74",
    "--surface": "#ffffff",
    "--surface-sunken": "#f1f3f5",
    "--line": "#e0e4e9",
    "--brand-mark": "#9c6c18",
    "--mantine-color-body": "#ffffff",
    "--mantine-color-text": "#1b2128",
    "--mantine-color-dimmed": "#5c6671",
    "--mantine-color-placeholder": "#687380",
    "--mantine-color-error": "#a3261d",
    "--mantine-color-default-color": "#313942",
    "--mantine-color-default-border": "#cdd4db",
    ...tones({
      success: ["#e4f4ea", "#125032", "#b9ddc8"],
      danger: ["#fbeae8", "#8f1f17", "#efc8c4"],
      caution: ["#fdeadb", "#7a3a0c", "#f0c9a8"],
      warning: ["#fcf2dc", "#6b4708", "#ebd5a4"],
      info: ["#e5f0f5", "#17495f", "#bbd5e1"],
      neutral: ["#eceff2", "#48515c", "#d3d9df"],
    }),
  },
  dark: {
    "--page-bg": "#14191f",
    "--focus": "#8cc0d5",
    "--surface": "#1a2027",
    "--surface-sunken": "#12171c",
    "--line": "#2d3640",
    "--brand-mark": "#d9a648",
    "--mantine-color-body": "#1a2027",
    "--mantine-color-text": "#dbe0e6",
    "--mantine-color-dimmed": "#9aa5b1",
    "--mantine-color-placeholder": "#8e99a5",
    "--mantine-color-error": "#f0a19a",
    ...darkWashes({
      petrol: ["#1a3947", "#214758", "#b3d4e2"],
      red: ["#3a1816", "#4a201d", "#f5aaa3"],
      green: ["#14301f", "#1a3d28", "#8bd8ab"],
      brass: ["#33260c", "#423212", "#edc572"],
      yellow: ["#33260c", "#423212", "#edc572"],
      gray: ["#262e37", "#303944", "#bac3cc"],
    }),
    "--mantine-color-default-color": "#dbe0e6",
    "--mantine-color-default-border": "#39424c",
    ...tones({
      success: ["#14301f", "#8bd8ab", "#225238"],
      danger: ["#3a1816", "#f5aaa3", "#66302b"],
      caution: ["#3a220f", "#f2b98a", "#68401f"],
      warning: ["#33260c", "#edc572", "#5c481c"],
      info: ["#152d39", "#98cce1", "#275267"],
      neutral: ["#262e37", "#bac3cc", "#3a434d"],
    }),
  },
});
