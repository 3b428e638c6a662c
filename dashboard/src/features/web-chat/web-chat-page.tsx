import { useParams } from "react-router";
import { WidgetPage } from "./widget-page.tsx";
import { WidgetsPage } from "./widgets-page.tsx";

/** The widgets of web chat, or the one that the URL names. */
export function WebChatPage() {
  const { widget } = useParams();
  return widget === undefined ? <WidgetsPage /> : <WidgetPage />;
}
