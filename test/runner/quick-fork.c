/*
 * Quick fork: what Node calls before it starts a program copies no tables of its memory.
 *
 * The child works in the memory of its parent until it starts the program, and the parent waits, as it does
 * after `fork`. The child changes the stack and the pointer to the variables, so both are restored for the
 * parent. Node does nothing else there that its parent could see.
 */
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

enum { FRAMES = 16384 };
extern char *__libc_stack_end;
static __thread char frames[FRAMES];
static __thread size_t length;
static __thread char **variables;

/* The main thread can have less than that above it. */
__attribute__((visibility("hidden"))) void keep(char *stack) {
  length = FRAMES;
  if (stack < __libc_stack_end && __libc_stack_end - stack < FRAMES) length = __libc_stack_end - stack;
  variables = environ;
  memcpy(frames, stack, length);
}

__attribute__((visibility("hidden"))) void restore(char *stack) {
  environ = variables;
  memcpy(stack, frames, length);
}

/* The parent uses registers alone until its stack is restored. */
__asm__(".text\n"
        ".globl fork\n"
        ".type fork,@function\n"
        "fork:\n"
        "  push %rbx\n"
        "  push %r12\n"
        "  sub $8,%rsp\n"
        "  mov %rsp,%rbx\n"
        "  mov %rsp,%rdi\n"
        "  call keep\n"
        "  call vfork@PLT\n"
        "  mov %eax,%r12d\n"
        "  test %eax,%eax\n"
        "  je 1f\n"
        "  mov %rbx,%rdi\n"
        "  call restore\n"
        "1: mov %r12d,%eax\n"
        "  add $8,%rsp\n"
        "  pop %r12\n"
        "  pop %rbx\n"
        "  ret\n");
