/* Writes a table of texts and numbers with libxlsxwriter, the one that benchGrid of bench_test.go makes, and prints the most memory that it held, in
   kilobytes. Arguments: FILE ROWS COLUMNS, and "constant" to keep no more than a row. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xlsxwriter.h>

static void print_peak(void) {
    char line[128];
    FILE *status = fopen("/proc/self/status", "r");
    long peak;
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %ld", &peak) == 1) printf("%ld\n", peak);
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    lxw_workbook_options options = {.constant_memory = argc > 4 && !strcmp(argv[4], "constant")};
    lxw_workbook *book = workbook_new_opt(argv[1], &options);
    lxw_worksheet *sheet = workbook_add_worksheet(book, NULL);
    int rows = atoi(argv[2]), columns = atoi(argv[3]);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            int n = i * columns + j;
            if (j % 3 == 0) {
                char text[32];
                snprintf(text, sizeof text, "text %d", n);
                worksheet_write_string(sheet, i, j, text, NULL);
            } else {
                worksheet_write_number(sheet, i, j, n + 0.25, NULL);
            }
        }
    }
    if (workbook_close(book)) return 1;
    print_peak();
    return 0;
}
