import type { WidgetLocale } from "../../core/model/widget.ts";

export type { WidgetLocale };

/** Languages of the widget. The model's own list comes with its schemas, which are too large here. */
export const widgetLocales: readonly WidgetLocale[] = ["en", "es", "pt"];
