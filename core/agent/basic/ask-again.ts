import { askResource, askService, confirmText } from "./book-flow.ts";
import { appointmentOf, confirmMoveText } from "./change-flows.ts";
import {
  ask,
  textsOf,
  wordsOfAppointment,
  wordsOfClock,
  type FlowTurn,
  type Said,
} from "./flow-turn.ts";
import { showAgain } from "./wanted-times.ts";

/** Asks the question of the flow under way again. */
export function askAgain(turn: FlowTurn): Said {
  const { asked, slots, flow, context } = turn;
  const t = textsOf(turn);
  const say = (text: string) => ask(turn, asked ?? "day", text);
  switch (asked) {
    case "service":
      return askService(turn, slots) ?? say(t.askDay);
    case "resource":
      return askResource(turn, slots) ?? say(t.askDay);
    case "half":
      return say(t.whichTime((slots.choices ?? []).map((time) => wordsOfClock(turn, time))));
    case "slot":
      return showAgain(turn, slots);
    case "name":
      return say(t.askName);
    case "email":
      return say(t.askEmail);
    case "appointment":
      return say(
        t.whichAppointment(context.appointments.map((one) => wordsOfAppointment(turn, one))),
      );
    case "confirm":
      if (flow === "book") return say(confirmText(turn, slots));
      return say(flow === "move" ? confirmMoveText(turn, slots) : confirmCancelText(turn));
    case "day":
    case "person":
    case "question":
    case null:
      return say(t.askDay);
  }
}

function confirmCancelText(turn: FlowTurn): string {
  const own = appointmentOf(turn);
  return textsOf(turn).confirmCancel(own === undefined ? "" : wordsOfAppointment(turn, own));
}
