// The schemas of core/model come along with the words that the app takes from there, and zod tries out
// once whether it may compile code. Our policy refuses that, which a browser reports as a violation.
Reflect.set(globalThis, "__zod_globalConfig", { jitless: true });
