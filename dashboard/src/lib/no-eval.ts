// The app imports constants from core/model, whose zod schemas come along. Zod tests once whether
// it may compile code. Our Content-Security-Policy refuses that, which a browser reports as a
// violation.
Reflect.set(globalThis, "__zod_globalConfig", { jitless: true });
