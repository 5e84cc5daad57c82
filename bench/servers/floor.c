/* The floor: what is left when a server does next to nothing. One thread, poll(2), no JSON parser:
   it looks for the members it needs in the raw line, and answers from fixed texts. */
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_WAITING 1024
#define MAX_LINE (1 << 24)
#define MAX_ID 64

struct waiting {
    long due_us;
    char id[MAX_ID];
};

static struct waiting waiting[MAX_WAITING];
static int waiting_count;
static char line[MAX_LINE];
static char out[2 * MAX_LINE];
static size_t out_length;

static long now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000L + t.tv_nsec / 1000;
}

static void flush_out(void) {
    size_t sent = 0;
    while (sent < out_length) {
        ssize_t done = write(1, out + sent, out_length - sent);
        if (done <= 0) exit(0);
        sent += (size_t)done;
    }
    out_length = 0;
}

static void put(const char *bytes, size_t length) {
    if (out_length + length > sizeof out) flush_out();
    memcpy(out + out_length, bytes, length);
    out_length += length;
}

static void put_text(const char *text) { put(text, strlen(text)); }

static void reply(const char *id, const char *result) {
    put_text("{\"jsonrpc\":\"2.0\",\"id\":");
    put_text(id);
    put_text(",\"result\":");
    put_text(result);
    put_text("}\n");
}

static void reply_text(const char *id, const char *text, size_t length) {
    put_text("{\"jsonrpc\":\"2.0\",\"id\":");
    put_text(id);
    put_text(",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"");
    put(text, length);
    put_text("\"}]}}\n");
}

/* What stands behind `name` in the line, or NULL. */
static char *behind(char *from, const char *name) {
    char *found = strstr(from, name);
    return found ? found + strlen(name) : NULL;
}

static void answer(void) {
    char id[MAX_ID] = "null";
    char *at = behind(line, "\"id\":");
    char *method = behind(line, "\"method\":\"");
    if (!at || !method) return;
    size_t length = strcspn(at, ",}");
    if (length >= MAX_ID) return;
    memcpy(id, at, length);
    id[length] = 0;
    if (!strncmp(method, "initialize\"", 11)) {
        static const char hello[] =
            "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},"
            "\"serverInfo\":{\"name\":\"floor\",\"version\":\"0\"}}";
        reply(id, hello);
    } else if (!strncmp(method, "tools/call\"", 11)) {
        char *text = behind(method, "\"text\":\"");
        char *ms = behind(method, "\"ms\":");
        if (text) {
            char *end = text;
            while (*end && *end != '"') end += *end == '\\' && end[1] ? 2 : 1;
            reply_text(id, text, (size_t)(end - text));
        } else if (ms && waiting_count < MAX_WAITING) {
            waiting[waiting_count].due_us = now_us() + atol(ms) * 1000;
            strcpy(waiting[waiting_count++].id, id);
        }
    } else {
        reply(id, "{}");
    }
}

/* Answer what is due; the milliseconds until the next one, -1 for none. */
static int answer_due(void) {
    long now = now_us(), next = -1;
    for (int i = 0; i < waiting_count;) {
        if (waiting[i].due_us <= now) {
            reply_text(waiting[i].id, "ok", 2);
            waiting[i] = waiting[--waiting_count];
        } else {
            if (next < 0 || waiting[i].due_us < next) next = waiting[i].due_us;
            i++;
        }
    }
    return next < 0 ? -1 : (int)((next - now + 999) / 1000);
}

int main(void) {
    static char chunk[1 << 16];
    size_t held = 0;
    struct pollfd input = {0, POLLIN, 0};
    for (;;) {
        int patience_ms = answer_due();
        flush_out();
        if (poll(&input, 1, patience_ms) <= 0) continue;
        ssize_t got = read(0, chunk, sizeof chunk);
        if (got <= 0) return 0;
        for (ssize_t i = 0; i < got; i++) {
            if (chunk[i] != '\n') {
                if (held + 1 < MAX_LINE) line[held++] = chunk[i];
                continue;
            }
            line[held] = 0;
            held = 0;
            answer();
        }
    }
}
