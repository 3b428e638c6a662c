import type { WidgetLocale } from "../../core/model/widget.ts";
import type { VisitedPage } from "../../core/model/widget-visit.ts";

/** Name, email and phone that the site knows of its visitor. Nobody has checked them. */
export interface ContactFacts {
  name?: string;
  email?: string;
  phone?: string;
}

/** Facts that the site tells of its visitor. Nobody has checked them. */
export type ContextFacts = Record<string, string | number | boolean>;

/** Theme that the site chooses. `auto` follows the visitor's system. */
export type ThemeChoice = "auto" | "light" | "dark";

/** State of the host page, which the panel gets with its port. */
export interface HostState {
  page: VisitedPage;
  locale: WidgetLocale;
  theme: ThemeChoice | null;
  /** The site reads from right to left. */
  isRtl: boolean;
  isOpen: boolean;
  /** The panel covers the whole window. */
  isFull: boolean;
  identity: string | null;
  contact: ContactFacts | null;
  context: ContextFacts | null;
  /** The visitor had a session here, so the panel may resume it without a click. */
  wasHere: boolean;
}

/** Commands of the host to the panel, with the type of their value. */
export interface HostCommands {
  open: { isFull: boolean };
  close: null;
  /** The window has become narrow or wide. It opens nothing, and takes no focus. */
  isFull: boolean;
  page: VisitedPage;
  identify: string;
  setContact: ContactFacts;
  setContext: ContextFacts;
  setLocale: WidgetLocale;
  setTheme: ThemeChoice;
  send: string;
  reset: null;
  consent: null;
}

/** A command on its way to the panel. Its answer repeats `id`. */
export interface HostCall {
  id: number;
  command: keyof HostCommands;
  value: unknown;
}

/** Messages of the panel to the host, over the port. */
export type PanelMessage =
  | { kind: "answer"; id: number; error: string | null }
  /** A session runs. */
  | { kind: "ready" }
  /** The visitor asks to close the panel. */
  | { kind: "close" }
  | { kind: "unread"; count: number }
  | { kind: "message"; from: "visitor" | "company"; text: string }
  | { kind: "identified"; verified: boolean }
  | { kind: "error"; code: string }
  /** The visitor's session and traces are gone. */
  | { kind: "gone" };

/** First message of the frame to its parent, which answers with a port. It holds nothing secret. */
export const hello = "parley:hello";
/** Message of the parent that brings the port. */
export const welcome = "parley:welcome";
/** Message of the Dashboard that brings the settings of a preview. */
export const preview = "parley:preview";
